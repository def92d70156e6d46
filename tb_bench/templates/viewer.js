// The episode viewer. Everything that a model or a tool wrote goes in as text, never as markup.
"use strict";
(async () => {
  const holder = document.getElementById("episodes");
  if (!holder) return;
  const bytes = Uint8Array.from(atob(holder.textContent.trim()), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const data = JSON.parse(await new Response(stream).text());
  const $ = id => document.getElementById(id);
  const el = (tag, cls, ...kids) => {
    const node = document.createElement(tag);
    if (cls) node.className = cls;
    node.append(...kids.filter(kid => kid !== null && kid !== undefined));
    return node;
  };
  const show = value => value === null ? "null" : typeof value === "string" ? value : JSON.stringify(value);
  const pretty = text => { try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; } };
  const brief = text => {
    try {
      const value = JSON.parse(text);
      return Object.entries(value).map(([k, v]) => `${k}: ${show(v)}`).join(", ");
    } catch { return text; }
  };
  const folded = (cls, title, text) => {
    const box = el("details", cls, el("summary", "", title));
    box.append(el("pre", "", text));
    return box;
  };

  function rowOf(change) {
    const key = Object.values(change.key).map(show).join(", ");
    const verb = { insert: "new row in", update: "changed in", delete: "deleted from" }[change.op];
    const list = el("dl");
    const before = change.before || {}, after = change.after || {};
    for (const name of Object.keys(change.after || before)) {
      if (change.op !== "update" && (change.after || before)[name] === null) continue;
      if (change.op === "update" && show(before[name]) === show(after[name])) continue;
      const cell = el("dd");
      if (change.op !== "insert") cell.append(el("del", "", show(before[name] ?? null)));
      if (change.op === "update") cell.append(" → ");
      if (change.op !== "delete") cell.append(el("ins", "", show(after[name] ?? null)));
      list.append(el("dt", "", name), cell);
    }
    return el("div", `row ${change.op}`, el("div", "title", `${verb} ${change.table} · ${key}`), list);
  }

  function stepOf(message, prompts) {
    const said = el("div", "said"), did = el("div", "did");
    if (message.role === "system") {
      said.append(folded("prompt", "Instructions and policy", prompts[message.prompt]));
    } else {
      const right = message.role === "assistant";
      const who = { user: "customer", assistant: "agent", tool: message.name }[message.role];
      if (message.content || !message.calls.length) {
        said.append(el("div", right ? "who right" : "who", who));
      }
      if (message.reasoning) said.append(folded("thinking", "thinking", message.reasoning));
      if (message.content) said.append(el("div", `bubble ${message.role}`, message.content));
    }
    for (const call of message.calls) {
      const box = el("details", call.is_error ? "call refused" : "call");
      const title = el("summary", "", el("b", "", call.name), ` ${brief(call.arguments)}`);
      if (call.is_error) title.append(" ", el("span", "chip warn", "refused"));
      box.append(title, el("pre", "", pretty(call.content)));
      if (call.is_error) box.open = true;
      said.append(box);
      if (call.changes.length) did.append(...call.changes.map(rowOf));
      else did.append(el("div", "quiet", `${call.name} changed nothing`));
    }
    return el("div", "step", said, did);
  }

  function verdictOf(episode) {
    const box = el("div", "verdict");
    const bad = episode.results.filter(result => !result.passed).length;
    const total = episode.results.length;
    box.append(el("h3", "", bad ? `Verdict: ${bad} of ${total} parts do not hold` : `Verdict: all ${total} parts hold`));
    for (const result of [...episode.results].sort((a, b) => a.passed - b.passed)) {
      const text = el("div", "", el("div", "name", result.name, " ", el("span", "chip", result.kind)));
      if (!result.passed) {
        text.append(el("div", "why", result.reason));
        if (result.expected || result.actual) {
          text.append(el("div", "why mono", `expected ${result.expected || "nothing"}; found ${result.actual || "nothing"}`));
        }
      }
      box.append(el("div", result.passed ? "check" : "check fail", el("div", "mark", result.passed ? "✓" : "✗"), text));
    }
    return box;
  }

  function open(index, jump) {
    const episode = data.episodes[index];
    const page = $("episode");
    const head = el("div", "head", el("strong", "", episode.task), el("span", "chip", `attempt ${episode.attempt}`),
      el("span", episode.passed ? "chip pass" : "chip fail", episode.passed ? "passed" : "failed"));
    if (episode.ended !== "by itself") head.append(el("span", "chip warn", episode.ended));
    head.append(el("div", "facts", episode.facts));
    const titles = el("div", "step titles", el("div", "said", "The talk"), el("div", "did", "What each call changed in the database"));
    page.replaceChildren(head, titles, ...episode.messages.map(m => stepOf(m, data.prompts)), verdictOf(episode));
    for (const button of $("list").querySelectorAll("button")) {
      const current = Number(button.dataset.index) === index;
      button.setAttribute("aria-current", String(current));
      // Not scrollIntoView: that would move the page, too.
      if (current && !jump) $("list").scrollTop = button.offsetTop - $("list").offsetTop - 60;
    }
    history.replaceState(null, "", `#${encodeURIComponent(episode.task)}/${episode.attempt}`);
    if (jump && window.innerWidth < 821) page.scrollIntoView();
  }

  function fill() {
    const text = $("search").value.toLowerCase(), domain = $("domain").value, verdict = $("verdict").value;
    const items = [];
    data.episodes.forEach((episode, index) => {
      if (domain && episode.domain !== domain) return;
      if (verdict && String(episode.passed) !== verdict) return;
      if (text && !episode.task.toLowerCase().includes(text)) return;
      const button = el("button", "", el("i", episode.passed ? "dot pass" : "dot"), el("span", "", episode.task), el("em", "", `#${episode.attempt}`));
      button.type = "button";
      button.dataset.index = index;
      button.title = episode.passed ? "passed" : "failed";
      button.addEventListener("click", () => open(index, true));
      items.push(el("li", "", button));
    });
    $("list").replaceChildren(...items);
    $("shown").textContent = `${items.length} of ${data.episodes.length} attempts shown`;
  }

  for (const name of ["search", "domain", "verdict"]) $(name).addEventListener("input", fill);
  fill();
  const asked = decodeURIComponent(location.hash.slice(1));
  const start = data.episodes.findIndex(e => `${e.task}/${e.attempt}` === asked);
  if (data.episodes.length) open(Math.max(start, 0), false);
  if (start >= 0) $("viewer").scrollIntoView();
})();
