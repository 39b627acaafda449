"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const steps = data.steps.map((s) => ({ ...s, group: at("s" + s.number), box: at("f" + s.number), hidden: false }));
  const by = new Map(steps.map((s) => [s.number, s]));
  const svg = at("picture");
  const chosen = (id) => (at(id) ? at(id).value : "");

  const shown = (s) => {
    const lane = chosen("lane"), kind = chosen("kind"), guard = chosen("guard").toLowerCase();
    if (lane !== "" && s.lane !== Number(lane)) return false;
    if (kind === "sure" && (s.kind === "maybe" || s.kind === "skipped")) return false;
    if (kind === "events" && s.kind !== "event") return false;
    if (kind === "changes" && s.change === "") return false;
    if (kind.startsWith("=") && s.kind !== kind.slice(1)) return false;
    return guard === "" || s.guards.some((g) => g.toLowerCase().includes(guard));
  };
  const isHidden = (s) => s.hidden || (s.parent !== 0 && isHidden(by.get(s.parent)));

  // What is around a step that is shown stays.
  const draw = () => {
    const keep = new Set();
    for (const s of steps) {
      if (isHidden(s) || !shown(s)) continue;
      for (let one = s; one; one = by.get(one.parent)) keep.add(one);
    }
    for (const s of steps) s.group.classList.toggle("gone", !keep.has(s));
    for (const a of data.arrows) {
      at(a.id).classList.toggle("gone", !keep.has(by.get(a.tail)) || !keep.has(by.get(a.head)));
    }
    if (data.stacked) stack(keep);
    at("count").textContent = keep.size + " of " + steps.length + " are shown.";
  };

  // Cards are stacked anew.
  const stack = (keep) => {
    let y = data.margin, last = null;
    for (const s of steps) {
      if (!keep.has(s)) continue;
      s.y = y;
      s.group.setAttribute("transform", "translate(" + s.x + " " + y + ")");
      y += s.height + data.gap;
      last = s;
    }
    for (const s of steps) {
      const inner = steps.filter((o) => keep.has(o) && o.number > s.number && o.number <= s.end);
      s.box.classList.toggle("gone", inner.length === 0 || !keep.has(s));
      if (inner.length === 0 || !keep.has(s)) continue;
      const end = inner[inner.length - 1];
      s.box.setAttribute("y", s.y - 6);
      s.box.setAttribute("height", end.y + end.height + 6 - s.y + 6);
    }
    const height = last ? last.y + last.height + data.margin : data.margin;
    svg.setAttribute("height", height);
    svg.setAttribute("viewBox", "0 0 " + svg.getAttribute("width") + " " + height);
  };

  const item = (list, text) => list.appendChild(document.createElement("li")).appendChild(document.createTextNode(text));
  const part = (panel, title, texts) => {
    if (texts.length === 0) return;
    panel.appendChild(document.createElement("h3")).textContent = title;
    const list = panel.appendChild(document.createElement("ul"));
    texts.forEach((t) => item(list, t));
  };
  const tell = (s) => {
    const panel = at("panel");
    panel.replaceChildren();
    panel.appendChild(document.createElement("h2")).textContent = s.title;
    s.parts.forEach(([title, texts]) => part(panel, title, texts));
    if (s.place !== "") panel.appendChild(document.createElement("p")).textContent = s.place;
    if (s.url !== "") {
      const link = panel.appendChild(document.createElement("a"));
      link.href = s.url;
      link.id = "source";
      link.rel = "noreferrer";
      link.textContent = "Open the source line";
    }
    const hide = panel.appendChild(document.createElement("button"));
    hide.type = "button";
    hide.id = "hide";
    hide.textContent = "Hide this";
    hide.addEventListener("click", () => { s.hidden = true; draw(); at("all").focus(); });
  };

  const visible = () => steps.filter((s) => !s.group.classList.contains("gone"));
  for (const s of steps) {
    s.group.addEventListener("click", () => s.group.focus());
    s.group.addEventListener("focus", () => tell(s));
    s.group.addEventListener("keydown", (event) => {
      const list = visible(), place = list.indexOf(s);
      const next = {
        ArrowDown: list[place + 1], ArrowUp: list[place - 1], ArrowLeft: by.get(s.parent),
        Home: list[0], End: list[list.length - 1],
      }[event.key];
      if (next) { next.group.focus(); event.preventDefault(); }
      if (event.key === "h") { s.hidden = true; draw(); (list[place + 1] || list[place - 1] || s).group.focus(); }
      if (event.key === "Enter" && at("source")) at("source").focus();
    });
  }
  document.addEventListener("keydown", (event) => {
    const typing = ["INPUT", "SELECT"].includes(document.activeElement.tagName);
    if (event.key === "/" && !typing) { at("search").focus(); event.preventDefault(); }
  });
  const search = () => {
    const word = at("search").value.toLowerCase();
    let first = null, count = 0;
    for (const s of steps) {
      const found = word !== "" && s.text.toLowerCase().includes(word);
      s.group.classList.toggle("found", found);
      if (found) count += 1;
      if (found && first === null && !s.group.classList.contains("gone")) first = s;
    }
    if (first) first.group.scrollIntoView({ block: "center" });
    if (word !== "") at("count").textContent = count + " found.";
    else draw();
    return first;
  };
  at("search").addEventListener("input", search);
  at("search").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    const first = search();
    if (first) first.group.focus();
  });
  for (const id of ["lane", "kind", "guard"]) {
    if (at(id)) at(id).addEventListener(id === "guard" ? "input" : "change", draw);
  }
  at("all").addEventListener("click", () => {
    steps.forEach((s) => { s.hidden = false; });
    ["lane", "guard", "search", "kind"].forEach((id) => { if (at(id)) at(id).value = ""; });
    search();
  });
  at("form").addEventListener("submit", (event) => event.preventDefault());
  draw();
})();
