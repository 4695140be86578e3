// SPDX-License-Identifier: Apache-2.0

package value

import (
	"strings"
	"sync"
)

// glue are the words that may stand between and around dates, folded, by language. A word
// that is not among them may be an identifier, so a text with it is not read.
var glue = [...]string{
	English: `on the of in at from to through thru until till between and or since by before after around about circa ca
		early late mid end beginning start last next this past previous following first second third fourth half during for ago
		week weeks weekend month months year years day days date same morning afternoon evening night noon midnight
		am pm hrs hours hour approximately approx s st a an later earlier within every each other s mid fiscal calendar
		dated that and/or up as well monthly weekly daily yearly`,
	Spanish: `el la los las de del en a al desde hasta entre y e o u hacia sobre antes despues tras
		principio principios final finales mediados mitad inicio inicios comienzo comienzos primer primero primera segundo segunda tercer tercero tercera cuarto ultimo ultima ultimos pasado pasada
		proximo proxima siguiente siguientes mismo misma mes meses ano anos dia dias fecha semana semanas fin hora horas h hs
		manana tarde noche mediodia con partir hace`,
	French: `le la les l d du de des en au aux a entre et ou depuis jusqu jusque vers debut fin mi courant dernier derniere prochain prochaine
		meme suivant suivante mois annee annees an ans jour jours date semaine semaines h heure heures matin soir midi minuit
		premier premiere deuxieme troisieme quatrieme cinquieme il y avant apres partir compter`,
	German: `der die das den dem des am im in vom von bis zum zur und oder seit ab gegen anfang mitte ende letzten letzte nachsten
		jahr jahre jahren jahres monat monate monaten tag tage tagen woche wochen uhr um datum vor nach selben ersten zweiten dritten
		zwischen morgens abends nachts mittags zu`,
}

// spans are words of time that stay right when all dates of a note are shifted.
const spans = `today yesterday tomorrow tonight now currently
	hoy ayer anteayer manana ahora
	aujourd hui hier demain veille lendemain maintenant
	heute gestern morgen vorgestern ubermorgen
	second seconds minute minutes hour hours day days week weeks weekend month months year years decade decades
	segundo segundos minuto minutos hora horas dia dias semana semanas mes meses ano anos decada decadas
	seconde secondes heure heures jour jours semaine semaines mois an ans annee annees
	sekunde sekunden minuten stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren jahres`

// intervals are the words and marks between the two ends of an interval.
var intervals = setOf("- – — ‑ to through thru until till a al hasta bis au jusqu")

// hours are the words behind the hour of a time of day.
var hours = setOf("am pm a p h hs hrs hr hours uhr heures heure horas hora noon z")

var glueMarks = setOf(`, . - – — ‑ / ( ) : ; ' ’ " “ ” [ ] & + ~ * « »`)

// glueWords are the languages of each word of glue.
var glueWords = sync.OnceValue(func() map[string]languages {
	all := map[string]languages{}
	for l := English; l <= German; l++ {
		for w := range strings.FieldsSeq(glue[l]) {
			all[w] |= 1 << l
		}
	}
	return all
})

var spanWords = sync.OnceValue(func() map[string]bool { return setOf(spans) })

func setOf(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// dayWords are days of the month in words, before a month.
var dayWords = map[string]int{"first": 1, "primero": 1, "uno": 1, "premier": 1, "ersten": 1, "erster": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
