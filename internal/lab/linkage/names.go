// SPDX-License-Identifier: Apache-2.0

package linkage

import (
	"math/rand/v2"
	"sort"
	"strings"
)

// pool has values, some more frequent than others. The value of rank r = 0, 1,
// ... has a weight of 1 / (r + flat), the law of Zipf and Mandelbrot.
type pool struct {
	values []string
	sums   []float64 // of the weights of all values up to each
}

func newPool(values []string, flat float64) pool {
	p := pool{values: values, sums: make([]float64, len(values))}
	sum := 0.0
	for r := range values {
		sum += 1 / (float64(r) + flat)
		p.sums[r] = sum
	}
	return p
}

// rank draws the rank of a value.
func (p pool) rank(rng *rand.Rand) int {
	at := rng.Float64() * p.sums[len(p.sums)-1]
	return min(sort.SearchFloat64s(p.sums, at), len(p.sums)-1)
}

func (p pool) draw(rng *rand.Rand) string { return p.values[p.rank(rng)] }

// The parameters of the pools. They give the most frequent given name a share of about 3 %
// and the most frequent surname about 1 %, as in the census of the United States.
const (
	flatGiven, flatSurname = 5, 13
	flatCity, flatStreet   = 4, 10
)

// names are the pools of the generator.
type names struct {
	female, male, surname, street pool
	city                          pool
}

func newNames() *names {
	return &names{
		female:  newPool(append(strings.Fields(givenFemale), join(givenStems, givenFemaleEnds)...), flatGiven),
		male:    newPool(append(strings.Fields(givenMale), join(givenStems, givenMaleEnds)...), flatGiven),
		surname: newPool(append(strings.Fields(surnames), join(strings.Join(join(surnameStarts, surnameMiddles), " "), surnameEnds)...), flatSurname),
		street:  newPool(strings.Split(strings.ReplaceAll(strings.Join(join(placeStems, placeEnds), "\n"), "|", " "), "\n"), flatStreet),
		city:    newPool(join(cityStems, cityEnds), flatCity),
	}
}

// join makes all words of a start and an end. Words of one start are far apart, so that
// neighbours in rank do not look alike.
func join(starts, ends string) []string {
	var out []string
	for _, end := range strings.Fields(ends) {
		for _, start := range strings.Fields(starts) {
			out = append(out, start+end)
		}
	}
	return out
}

const (
	givenFemale = `Mary Patricia Linda Barbara Elizabeth Jennifer Maria Susan Margaret Dorothy Lisa Nancy Karen Betty Helen
		Sandra Donna Carol Ruth Sharon Michelle Laura Sarah Kimberly Deborah Jessica Shirley Cynthia Angela Melissa
		Brenda Amy Anna Rebecca Virginia Kathleen Pamela Martha Debra Amanda Stephanie Carolyn Christine Marie Janet
		Catherine Frances Ann Joyce Diane Alice Julie Heather Teresa Doris Gloria Evelyn Jean Cheryl Mildred
		Katherine Joan Ashley Judith Rose Janice Kelly Nicole Judy Christina Kathy Theresa Beverly Denise Tammy
		Irene Jane Lori Rachel Marilyn Andrea Kathryn Louise Sara Anne Jacqueline Wanda Bonnie Julia Ruby
		Carmen Rosa Guadalupe Esperanza Ingrid Mei Priya Fatima Olga Yuki`
	givenMale = `James John Robert Michael William David Richard Charles Joseph Thomas Christopher Daniel Paul Mark Donald
		George Kenneth Steven Edward Brian Ronald Anthony Kevin Jason Matthew Gary Timothy Jose Larry Jeffrey
		Frank Scott Eric Stephen Andrew Raymond Gregory Joshua Jerry Dennis Walter Patrick Peter Harold Douglas
		Henry Carl Arthur Ryan Roger Joe Juan Jack Albert Jonathan Justin Terry Gerald Keith Samuel
		Willie Ralph Lawrence Nicholas Roy Benjamin Bruce Brandon Adam Harry Fred Wayne Billy Steve Louis
		Jeremy Aaron Randy Howard Eugene Carlos Russell Bobby Victor Martin Ernest Phillip Todd Jesse Craig
		Luis Miguel Diego Hans Wei Arjun Omar Ivan Kenji Kofi`
	givenStems      = `Al Bel Cor Dar El Fen Gal Har Il Jor Kal Lor Mar Nel Or Per Quin Ros Sel Tam Ul Ver Wil Yan Zel`
	givenFemaleEnds = `ina ette issa anne ora elle icia wyn ada ienne olina ita`
	givenMaleEnds   = `ton vin rick an eus old mund ian ard ley o win`

	surnames = `Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson
		Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson
		Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall
		Rivera Campbell Mitchell Carter Roberts Gomez Phillips Evans Turner Diaz Parker Cruz Edwards Collins Reyes
		Stewart Morris Morales Murphy Cook Rogers Gutierrez Ortiz Morgan Cooper Peterson Bailey Reed Kelly Howard
		Ramos Kim Cox Ward Richardson Watson Brooks Chavez Wood James Bennett Gray Mendoza Ruiz Hughes
		Price Alvarez Castillo Sanders Patel Myers Long Ross Foster Jimenez O'Brien MacLeod Smith-Jones Van-Dyke`
	surnameStarts  = `Ab Bar Cal Dun El Fair Gar Hol Ing Jes Kel Lind Mal Nor Os Pem Quen Rad Sut Tol Ul Van Wes Yar Zim`
	surnameMiddles = `a er en i o in ar el un es`
	surnameEnds    = `son man ton ley berg field worth er ski sen ova dale stein ez quist ham ford wood lund mann by ridge low well
		shaw ers ich ano elli ard more land bury gan nell kamp rell ding mark vitz reau enko oglu iadis wala`

	placeStems = `Oak Maple Cedar Pine Elm Church Mill River Lake Hill Park Spring Forest Meadow Garden Station School Market King Queen
		Washington Lincoln Franklin Jefferson Jackson Adams Sunset Valley Ridge Willow Walnut Chestnut Birch Orchard Harbor Prospect
		Highland Union Center College Mission Canyon Fox Eagle Deer Bear Stone Silver Golden Cherry`
	// A bar stands for a blank.
	placeEnds = `|Street |Avenue |Road |Drive |Lane |Court |Place |Way |Terrace |Boulevard`

	cityStems = `Spring Clay Fair River Green Oak Ash Glen Wood North West Mill Bright Stan Brook Marsh Kings Hart Wal Lin Had Roch Sal Dan Mon`
	cityEnds  = `field ton ville wood port ford haven burg dale mont side ley`

	// states are given to cities in this order.
	states = `CA TX FL NY PA IL OH GA NC MI NJ VA WA AZ TN MA IN MO MD WI CO MN SC AL LA KY OR OK CT UT`
)
