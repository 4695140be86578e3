// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// kubeJob has the fields of a Job of batch/v1 that the manifests may use. Kubernetes drops
// fields that it does not know, so a misspelled one would have no effect.
type kubeJob struct {
	APIVersion string   `yaml:"apiVersion"`
	Kind       string   `yaml:"kind"`
	Metadata   kubeMeta `yaml:"metadata"`
	Spec       struct {
		CompletionMode          string `yaml:"completionMode"`
		Completions             *int32 `yaml:"completions"`
		Parallelism             *int32 `yaml:"parallelism"`
		BackoffLimit            *int32 `yaml:"backoffLimit"`
		BackoffLimitPerIndex    *int32 `yaml:"backoffLimitPerIndex"`
		MaxFailedIndexes        *int32 `yaml:"maxFailedIndexes"`
		ActiveDeadlineSeconds   *int64 `yaml:"activeDeadlineSeconds"`
		TTLSecondsAfterFinished *int32 `yaml:"ttlSecondsAfterFinished"`
		PodReplacementPolicy    string `yaml:"podReplacementPolicy"`
		Suspend                 *bool  `yaml:"suspend"`
		PodFailurePolicy        *struct {
			Rules []struct {
				Action      string `yaml:"action"`
				OnExitCodes *struct {
					ContainerName string  `yaml:"containerName"`
					Operator      string  `yaml:"operator"`
					Values        []int32 `yaml:"values"`
				} `yaml:"onExitCodes"`
				OnPodConditions []struct {
					Type   string `yaml:"type"`
					Status string `yaml:"status"`
				} `yaml:"onPodConditions"`
			} `yaml:"rules"`
		} `yaml:"podFailurePolicy"`
		Template struct {
			Metadata kubeMeta `yaml:"metadata"`
			Spec     kubePod  `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

type kubeMeta struct {
	Name        string            `yaml:"name"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

type kubePod struct {
	RestartPolicy                string `yaml:"restartPolicy"`
	AutomountServiceAccountToken *bool  `yaml:"automountServiceAccountToken"`
	EnableServiceLinks           *bool  `yaml:"enableServiceLinks"`
	SecurityContext              struct {
		RunAsNonRoot   bool  `yaml:"runAsNonRoot"`
		RunAsUser      int64 `yaml:"runAsUser"`
		RunAsGroup     int64 `yaml:"runAsGroup"`
		FSGroup        int64 `yaml:"fsGroup"`
		SeccompProfile struct {
			Type string `yaml:"type"`
		} `yaml:"seccompProfile"`
	} `yaml:"securityContext"`
	Containers []kubeContainer `yaml:"containers"`
	Volumes    []struct {
		Name                  string `yaml:"name"`
		PersistentVolumeClaim *struct {
			ClaimName string `yaml:"claimName"`
			ReadOnly  bool   `yaml:"readOnly"`
		} `yaml:"persistentVolumeClaim"`
		Secret *struct {
			SecretName  string `yaml:"secretName"`
			DefaultMode int32  `yaml:"defaultMode"`
		} `yaml:"secret"`
	} `yaml:"volumes"`
}

type kubeContainer struct {
	Name      string   `yaml:"name"`
	Image     string   `yaml:"image"`
	Command   []string `yaml:"command"`
	Args      []string `yaml:"args"`
	Resources struct {
		Requests map[string]string `yaml:"requests"`
		Limits   map[string]string `yaml:"limits"`
	} `yaml:"resources"`
	SecurityContext struct {
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
		Capabilities             struct {
			Drop []string `yaml:"drop"`
		} `yaml:"capabilities"`
	} `yaml:"securityContext"`
	VolumeMounts []struct {
		Name      string `yaml:"name"`
		MountPath string `yaml:"mountPath"`
		ReadOnly  bool   `yaml:"readOnly"`
	} `yaml:"volumeMounts"`
}

func readJob(name string) (j kubeJob, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return j, err
	}
	return parseJob(text)
}

func parseJob(text []byte) (j kubeJob, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	return j, dec.Decode(&j)
}

// problems are what a cluster would refuse, or what would weaken the job.
func (j kubeJob) problems() (found []string) {
	check := func(ok bool, problem string) {
		if !ok {
			found = append(found, problem)
		}
	}
	s, pod := j.Spec, j.Spec.Template.Spec
	check(j.APIVersion == "batch/v1" && j.Kind == "Job" && j.Metadata.Name != "", "it is not a Job of batch/v1 with a name")
	check(pod.RestartPolicy == "Never", "a Job with limits by index and a policy of failures needs restartPolicy: Never")
	indexed := s.CompletionMode == "Indexed"
	check(indexed == (s.BackoffLimitPerIndex != nil), "backoffLimitPerIndex goes with completionMode: Indexed")
	check(!indexed || s.Completions != nil && s.Parallelism != nil && *s.Completions > 0, "an indexed Job needs completions and parallelism")
	check(s.PodFailurePolicy == nil || s.PodReplacementPolicy == "" || s.PodReplacementPolicy == "Failed", "with a policy of failures only failed pods are replaced")
	if s.PodFailurePolicy != nil {
		for _, r := range s.PodFailurePolicy.Rules {
			check(slices.Contains([]string{"FailJob", "FailIndex", "Ignore", "Count"}, r.Action), "an unknown action")
			check(r.Action != "FailIndex" || s.BackoffLimitPerIndex != nil, "FailIndex goes with backoffLimitPerIndex")
			check(r.Action != "FailJob", "a process that fails would end all others")
			check((r.OnExitCodes != nil) != (r.OnPodConditions != nil), "a rule needs exit codes or conditions")
			check(r.OnExitCodes == nil || !slices.Contains(r.OnExitCodes.Values, 0), "exit status 0 is not a failure")
		}
	}
	own := pod.SecurityContext
	check(own.RunAsNonRoot && own.RunAsUser > 0 && own.RunAsGroup > 0 && own.SeccompProfile.Type == "RuntimeDefault", "it may run as root")
	check(pod.AutomountServiceAccountToken != nil && !*pod.AutomountServiceAccountToken, "it gets a token of the cluster")
	check(len(pod.Containers) == 1, "it does not have one container")
	for _, c := range pod.Containers {
		found = append(found, pod.problemsOf(c)...)
	}
	return found
}

func (pod kubePod) problemsOf(c kubeContainer) (found []string) {
	check := func(ok bool, problem string) {
		if !ok {
			found = append(found, c.Name+": "+problem)
		}
	}
	own := c.SecurityContext
	check(c.Name != "" && c.Image != "" && len(c.Command) > 0, "it has no name, image or command")
	check(own.ReadOnlyRootFilesystem, "its root file system is writable")
	check(own.AllowPrivilegeEscalation != nil && !*own.AllowPrivilegeEscalation && slices.Equal(own.Capabilities.Drop, []string{"ALL"}), "it may become more powerful")
	for _, of := range []map[string]string{c.Resources.Requests, c.Resources.Limits} {
		check(of["cpu"] != "" && of["memory"] != "" && len(of) == 2, "its resources are not cpu and memory")
	}
	mounted := map[string]bool{}
	for _, m := range c.VolumeMounts {
		mounted[m.Name] = true
		check(path.IsAbs(m.MountPath), "a mount path is not absolute")
	}
	for _, v := range pod.Volumes {
		check(mounted[v.Name], "a volume is not mounted")
		check((v.PersistentVolumeClaim != nil) != (v.Secret != nil), "a volume needs one source")
		delete(mounted, v.Name)
	}
	check(len(mounted) == 0, "a mount has no volume")
	return found
}

// commandLine is the command of the container as the kubelet expands it: $(NAME) becomes the
// variable. places are folders of this machine in the place of mounts.
func (j kubeJob) commandLine(variables, places map[string]string) (args []string) {
	c := j.Spec.Template.Spec.Containers[0]
	for _, arg := range append(slices.Clone(c.Command), c.Args...) {
		for name, value := range variables {
			arg = strings.ReplaceAll(arg, "$("+name+")", value)
		}
		for mount, place := range places {
			arg = strings.Replace(arg, mount, place, 1)
		}
		args = append(args, arg)
	}
	args[0] = path.Base(args[0])
	return args
}

func TestKubernetesManifests(t *testing.T) {
	for _, name := range []string{"redact.yaml", "merge.yaml"} {
		j, err := readJob("../../k8s/" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range j.problems() {
			t.Errorf("%s: %s", name, problem)
		}
	}
	j, err := readJob("../../k8s/redact.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("--shard=3/%d", *j.Spec.Completions); !slices.Contains(j.commandLine(map[string]string{"JOB_COMPLETION_INDEX": "3"}, nil), want) {
		t.Errorf("there is no %s in %v", want, j.commandLine(nil, nil))
	}
	for _, m := range j.Spec.Template.Spec.Containers[0].VolumeMounts {
		if writable := m.Name == "redacted"; m.ReadOnly == writable {
			t.Errorf("%s is writable: %v", m.Name, !m.ReadOnly)
		}
	}
}

// TestKubernetesCheckFindsMistakes spoils the manifest.
func TestKubernetesCheckFindsMistakes(t *testing.T) {
	text, err := os.ReadFile("../../k8s/redact.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for old, change := range map[string]string{
		"podReplacementPolicy: Failed":            "podReplacementPolicies: Failed",
		"completions: 16":                         "completions: many",
		"restartPolicy: Never":                    "restartPolicy: OnFailure",
		"completionMode: Indexed":                 "completionMode: NonIndexed",
		"runAsNonRoot: true":                      "runAsNonRoot: false",
		"readOnlyRootFilesystem: true":            "readOnlyRootFilesystem: false",
		"drop: [ALL]":                             "drop: [NET_RAW]",
		"apiVersion: batch/v1":                    "apiVersion: batch/v1beta1",
		"values: [2]":                             "values: [0]",
		"action: FailIndex":                       "action: FailJob",
		"backoffLimitPerIndex: 3":                 "backoffLimit: 3",
		"mountPath: /notes":                       "mountPath: notes",
		"- name: bundle\n              mountPath": "- name: bundles\n              mountPath",
		"memory: 1Gi":                             "disk: 1Gi",
	} {
		spoilt := strings.Replace(string(text), old, change, 1)
		if spoilt == string(text) {
			t.Fatalf("the manifest does not have %q", old)
		}
		if j, err := parseJob([]byte(spoilt)); err == nil && len(j.problems()) == 0 {
			t.Errorf("%q is accepted", change)
		}
	}
}
