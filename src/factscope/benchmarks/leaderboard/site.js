"use strict";
for (const table of document.querySelectorAll("table[data-sort]")) {
  const heads = [...table.tHead.rows[0].cells];
  const status = document.createElement("p");
  status.className = "vh";
  status.setAttribute("role", "status");
  table.parentElement.after(status);
  heads.forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = head.dataset.best === "high" ? "descending" : "ascending";
      const other = first === "descending" ? "ascending" : "descending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      const sign = order === "ascending" ? 1 : -1;
      const value = (row) => row.cells[place].dataset.v ?? row.cells[place].textContent.trim().toLowerCase();
      const compare = (a, b) => {
        const x = value(a), y = value(b);
        if (x === "" || y === "") return (x === "") - (y === "");
        const p = Number(x), q = Number(y);
        return sign * (Number.isNaN(p) || Number.isNaN(q) ? x.localeCompare(y) : p - q);
      };
      table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
      for (const one of heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      status.textContent = `Sorted by ${button.textContent.trim()}, ${order}`;
    });
  });
}
for (const table of document.querySelectorAll("table[data-find]")) {
  const rows = [...table.tBodies[0].rows].map((row) => ({
    row,
    text: row.textContent.toLowerCase(),
    verdicts: [...row.querySelectorAll("td[class^=s-]")].map((cell) => cell.dataset.v),
  }));
  const finder = document.createElement("div");
  finder.className = "finder";
  const field = (name, element) => {
    const label = document.createElement("label");
    label.append(name, element);
    finder.append(label);
    element.addEventListener("input", narrow);
    return element;
  };
  const search = field("Search", Object.assign(document.createElement("input"), { type: "search" }));
  const choice = field("Verdict", document.createElement("select"));
  choice.append(new Option("all", ""), new Option("judges differ", "differ"));
  for (const word of [...new Set(rows.flatMap((one) => one.verdicts))].sort()) choice.append(new Option(word, `=${word}`));
  const count = document.createElement("p");
  count.className = "none";
  count.setAttribute("role", "status");
  finder.append(count);
  table.parentElement.before(finder);
  function narrow() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (one) =>
      words.every((word) => one.text.includes(word)) &&
      (choice.value === "" ||
        (choice.value === "differ" ? new Set(one.verdicts).size > 1 : one.verdicts.includes(choice.value.slice(1))));
    let n = 0;
    for (const one of rows) {
      one.row.hidden = !fits(one);
      n += !one.row.hidden;
    }
    count.textContent = n === rows.length ? "" : `${n} of ${rows.length} examples`;
  }
}
