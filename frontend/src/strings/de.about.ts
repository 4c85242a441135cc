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
        "Der Text wird in Sätze zerlegt und jeder Satz in Behauptungen: einzelne prüfbare Feststellungen, so formuliert, dass sie ohne Kontext verständlich sind. Fragen, Aufforderungen und Meinungen bleiben sichtbar, werden aber nicht geprüft.",
        "Zu jeder Behauptung durchsucht Factscope Ihre Dokumente, das Web oder beides. Es liest die Quellen und wählt die passendsten Textstellen aus, samt den Sätzen davor und danach.",
        "Ein Prüfer vergleicht jede Behauptung mit ihren Textstellen und entscheidet für jede, ob sie die Behauptung stützt, ihr widerspricht oder keines von beiden. Er muss die Worte zitieren, auf die er sich stützt. Steht das Zitat nicht in der Textstelle, zählt die Beurteilung nicht.",
        "Die Beurteilungen der Textstellen ergeben ein Urteil je Behauptung, und die Urteile der Behauptungen eines je Satz: Eine widerlegte Behauptung macht den Satz widerlegt, oder gemischt, wenn eine andere belegt ist.",
      ],
    },
    {
      id: "numbers",
      title: "Was die Zahlen bedeuten",
      body: [
        "Stützende Textstellen: der Anteil der Textstellen, die den Text stützen, wie bei Facts&Evidence. Alle werden zusammen gezählt: Jede beurteilte Textstelle zählt einmal, und nicht relevante zählen gegen den Text. „22 von 39 Textstellen stützen den Text“ ist 0,56.",
        "Belegte Behauptungen: der Anteil der beurteilten Behauptungen, die belegt sind. Offene Behauptungen und solche ohne Beleg zählen gegen den Text.",
        "Das Intervall zeigt, wie weit der Zufall allein die Zahl verschieben könnte: Bei wenigen Textstellen ist es breit, und zwei Texte, deren Intervalle sich überschneiden, können gleich gut sein.",
        "Die Abdeckung ist der Anteil der Behauptungen, die überhaupt beurteilt wurden. Ein fehlgeschlagener Aufruf ist nie ein Urteil: Er wird als fehlgeschlagen angezeigt und kann wiederholt werden.",
        "Schwellen machen aus einem Anteil niedrig, mittel oder hoch. Vorgegeben sind die von Facts&Evidence, 0,3 und 0,6; Sie können sie ändern.",
        "Die Sicherheit ist die des Prüfers selbst, in drei Stufen. Nennt ein Modell nur von sich aus eine Zahl, steht „Selbstauskunft“ dabei: Das ist die am wenigsten verlässliche Art.",
      ],
    },
    {
      id: "yours",
      title: "Was Sie entscheiden",
      body: [
        "Sie können jede Textstelle, Quelle, Website oder Quellenart ausschließen. Urteile und Werte werden in Ihrem Browser nach denselben Regeln wie auf dem Server neu berechnet; kein Modell wird aufgerufen, und das Original ist immer einen Klick entfernt.",
        "Textstellen mit demselben Text wie eine andere sind gekennzeichnet; Sie können sie nur einmal zählen lassen.",
        "Ihr eigenes Urteil wird neben dem maschinellen angezeigt, mit Ihrem Namen und Grund. Es ändert keinen Wert.",
        "Wenn Sie den Text bearbeiten, werden nur geänderte Sätze und Sätze, die sich auf sie beziehen, erneut geprüft; die erwarteten Kosten sehen Sie vorher.",
      ],
    },
    {
      id: "limits",
      title: "Grenzen",
      body: [
        "Ein Urteil sagt, was die Belege zeigen, nicht, was wahr ist. Quellen können falsch, veraltet oder voneinander abgeschrieben sein.",
        "Die meisten Fehler entstehen beim Suchen: Die Seite, die eine Behauptung klären würde, wird nicht gefunden oder lässt sich nicht lesen. „Kein Beleg“ heißt, dass keiner gefunden wurde, nicht, dass es keinen gibt.",
        "Modelle lesen falsch. Lesen Sie das Zitat vor der Begründung: Eine gewandte Begründung eines falschen Urteils führt mehr in die Irre als keine.",
        "Quellenarten werden aus Hostnamen und Angaben der Seiten selbst abgeleitet. Sie sind Hinweise, kein Qualitätsurteil.",
      ],
    },
    {
      id: "privacy",
      title: "Datenschutz",
      body: [
        "Factscope läuft auf Ihrem Rechner oder auf einem Ihrer Organisation. Es sendet keine Telemetrie und lädt keine Schriften oder Skripte von anderen Websites.",
        "Der Text und seine Behauptungen gehen an das Modell, das Sie wählen, und die Suchanfragen an die Suchmaschine, die Sie wählen. Mit dem eingebauten Prüfer und eigenen Dokumenten verlässt nichts den Rechner.",
        "Der Server speichert Prüfungen, bis Sie sie löschen, und zeigt sie nur dem Browser, in dem sie gestartet wurden.",
        "Anweisungen an KI-Modelle in Webseiten werden gekennzeichnet und nie befolgt.",
      ],
    },
  ],
};
