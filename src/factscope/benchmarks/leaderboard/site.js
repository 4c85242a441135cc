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
      const value = (row) => row.cells[place].dataset.v;
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
