// Die Seite „So funktioniert es“ auf Deutsch.

import type { about as english } from "./en.about";

export const about: typeof english = {
  title: "So funktioniert es",
  states: "Was die Markierungen bedeuten",
  sections: [
    {
      id: "steps",
      title: "Vom Text zum Urteil",
      body: [
        "Der Text wird in Sätze zerlegt und jeder Satz in Behauptungen: einzelne prüfbare Aussagen, so formuliert, dass sie für sich stehen. Fragen, Aufforderungen und Meinungen bleiben sichtbar und werden nicht geprüft.",
        "Zu jeder Behauptung werden Belege gesucht: in Ihren Dokumenten, im Web oder in beidem. Die gefundenen Seiten werden gelesen; die passendsten Stellen werden mit den Sätzen um sie herum behalten.",
        "Ein Prüfer liest jede Behauptung neben ihren Stellen und sagt zu jeder, ob sie die Behauptung stützt, ihr widerspricht oder keines von beiden. Er muss die Worte nennen, auf die er sich stützt. Stehen sie nicht in der Stelle, zählt seine Antwort nicht.",
        "Was der Prüfer zu den Stellen sagt, ergibt ein Urteil je Behauptung, und deren Urteile das über den Satz: Eine widerlegte Behauptung macht den Satz widerlegt, oder gemischt, wenn eine andere belegt ist.",
      ],
    },
    {
      id: "numbers",
      title: "Was die Zahlen bedeuten",
      body: [
        "Anteil der Belege: stützende Belege von allen, wie bei Facts&Evidence. Alle werden zusammen gezählt: Jede beurteilte Stelle zählt einmal, und Stellen, die nichts zur Behauptung sagen, zählen gegen sie. „22 von 39 Belegen stützen“ ist 0,56.",
        "Anteil der Aussagen: belegte Aussagen von allen beurteilten. Offene und solche ohne Beleg zählen gegen den Text.",
        "Das Intervall sagt, wie weit der Zufall allein die Zahl verschieben könnte: Bei wenigen Belegen ist es breit, und zwei Texte, deren Intervalle sich überschneiden, können gleich gut sein.",
        "Die Abdeckung sagt, wie viele Aussagen überhaupt beurteilt wurden. Ein gescheiterter Aufruf ist nie ein Urteil: Er wird als gescheitert gezeigt und kann wiederholt werden.",
        "Schwellen machen aus einem Anteil niedrig, mittel oder hoch. Es sind die von Facts&Evidence, 0,3 und 0,6, bis Sie sie verschieben.",
        "Die Sicherheit ist die des Prüfers selbst, in drei Stufen. Nennt ein Modell nur von sich aus eine Zahl, steht „Selbstauskunft“ dabei: Das ist die am wenigsten verlässliche Art.",
      ],
    },
    {
      id: "yours",
      title: "Was Sie entscheiden",
      body: [
        "Sie können jede Stelle, Quelle, Website oder Art von Quelle weglassen. Urteile und Werte werden in Ihrem Browser nach denselben Regeln wie auf dem Server neu berechnet; kein Modell wird erneut gefragt, und das Original ist immer einen Druck entfernt.",
        "Auf Stellen, die dasselbe sagen wie eine andere, wird hingewiesen; Sie können sie einmal zählen lassen.",
        "Ihr eigenes Urteil steht neben dem der Maschine, mit Ihrem Namen und Grund. Es ändert keinen Wert.",
        "Wenn Sie den Text bearbeiten, werden nur geänderte Sätze und solche, die an ihnen hängen, neu geprüft; was das kosten wird, sehen Sie vorher.",
      ],
    },
    {
      id: "limits",
      title: "Grenzen",
      body: [
        "Ein Urteil sagt, was die vorliegenden Belege sagen, nicht, was wahr ist. Quellen können falsch, veraltet oder voneinander abgeschrieben sein.",
        "Die meisten Fehler entstehen beim Suchen: Die Seite, die eine Behauptung klären würde, wird nicht gefunden oder lässt sich nicht lesen. „Kein Beleg“ heißt, dass keiner gefunden wurde, nicht, dass es keinen gibt.",
        "Maschinen lesen falsch. Lesen Sie das Zitat vor der Begründung: Eine gewandte Begründung eines falschen Urteils führt mehr in die Irre als keine.",
        "Arten von Quellen werden an Hostnamen und an dem erkannt, was Seiten von sich sagen. Sie sind Hinweise, kein Urteil über Güte.",
      ],
    },
    {
      id: "privacy",
      title: "Datenschutz",
      body: [
        "Factscope läuft auf Ihrem Rechner oder auf einem Ihrer Organisation. Es meldet niemandem etwas: keine Zähler, keine Schriften und keine Skripte von anderswo.",
        "Der Text und seine Behauptungen gehen an das Modell, das Sie wählen, und die Suchanfragen an die Suchmaschine, die Sie wählen. Mit dem eingebauten Prüfer und eigenen Dokumenten verlässt nichts den Rechner.",
        "Prüfungen bleiben auf dem Server, bis Sie sie löschen, und werden nur dem Browser gezeigt, der sie gemacht hat.",
        "Auf Worte in Seiten, die einem Modell Anweisungen geben wollen, wird hingewiesen; befolgt werden sie nie.",
      ],
    },
  ],
};
