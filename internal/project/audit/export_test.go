// SPDX-License-Identifier: Apache-2.0

package audit

// What tests outside the package look at.
const BucketPlaces = bucketAuditPlaces

var TextKey = textKey
