// SPDX-License-Identifier: Apache-2.0

// Package link finds the records of one person.
//
//	records := link.NewRecords([]link.Field{{Name: "surname", Kind: compare.Surname}, {Name: "born", Kind: compare.BirthDate}})
//	records.Add([]string{"Miller"}, []string{"1971-06-24"})
//	records.Add([]string{"Millar"}, []string{"24/06/1971"})
//	result, err := link.Run(ctx, records, link.Default(records.Fields()), link.Options{})
//
// # Method
//
// Rules say which pairs of records are compared: pairs that have the values of a rule in
// common. Each field of a pair gets a level of agreement from package compare. The weight of
// a level is log2(m/u), where m is the probability of the level among pairs of one person, and
// u its probability among pairs of two persons [Fellegi and Sunter 1969]. u comes from random
// pairs, m from the EM algorithm on the pairs of each rule; a rule says nothing about its own
// fields. The prior is the share of matches among all pairs.
//
// Fields are independent but for addresses and families. Whether two records have the same
// dwelling, the same locality or neither is a hidden state of the pair (see [Address]). So the
// parts of an address do not count several times, a person who moved loses the address once,
// and two members of a family are not one person.
//
// Two equal values of a name or place say more if the value is rare. A number or birth date
// that very many records share says nothing: it counts as missing.
//
// Links join records to clusters, the best first, if the groups that they join fit together.
//
// # Size
//
// Blocks of a rule that are too large are refined by further fields, and cut where these do not
// help; [RuleSize] says so. The pairs grow about as the records, not as their square. Up to
// Config.Every records, all pairs are compared. Of records that are equal in all fields, eight
// are compared and the others follow the eighth.
//
// # Order
//
// Records are numbered in the order in which they are added. The engine works in an order that
// depends on the values only. So equal records give the same result in any order of rows, for
// any number of workers.
//
// # Caveats
//
// The package keeps values of patients. No error and no type of it prints them.
package link
