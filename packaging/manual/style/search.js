// Searches search-index.js, which is loaded when the search field gets the focus. index.html?search=WORDS shows results.
"use strict";
{
    const mostResults = 15;
    const make = (name, properties, ...children) => {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    };
    const input = make("input", { type: "search", name: "search", placeholder: "Search", autocomplete: "off" });
    input.setAttribute("aria-label", "Search the manual");
    const count = make("p");
    count.setAttribute("role", "status");
    const list = make("ul");
    const results = make("div", { hidden: true }, count, list);
    const form = make("form", { className: "search" }, input, results);
    form.setAttribute("role", "search");

    const load = () => {
        load.done ??= new Promise((resolve) => {
            document.head.append(make("script", { src: "search-index.js", onload: () => resolve(window.searchIndex) }));
        });
        return load.done;
    };

    // All words must occur. A match counts more in a title, at the beginning of a word, and as a whole word.
    const scoreOf = ([page, section, , text], words) => {
        const title = `${page} ${section}`.toLowerCase();
        const all = `${title} ${text.toLowerCase()}`;
        const match = (string, word) => string.split(/[^\p{L}\p{N}_-]+/u)
            .reduce((best, part) => Math.max(best, part === word ? 3 : part.startsWith(word) ? 2 : part.includes(word)), 0);
        return words.every((word) => all.includes(word))
            ? words.reduce((score, word) => score + 1 + match(all, word) + 5 * match(title, word), 0)
            : 0;
    };

    const excerpt = (text, words) => {
        const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
        const start = places.length ? Math.max(0, Math.min(...places) - 60) : 0;
        const part = (start ? text.slice(start).replace(/^\S* /, "… ") : text).slice(0, 160);
        const pattern = new RegExp(`(${words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("|")})`, "i");
        return part.split(pattern).map((piece, index) => (index % 2 ? make("mark", {}, piece) : piece));
    };

    const show = async () => {
        const index = await load();
        const words = input.value.toLowerCase().split(/\s+/).filter((word) => word);
        const found = index
            .map((entry) => ({ entry, score: scoreOf(entry, words) }))
            .filter(({ score }) => score > 0)
            .sort((one, other) => other.score - one.score);
        results.hidden = words.length === 0;
        count.textContent = `${found.length || "No"} ${found.length === 1 ? "result" : "results"}`;
        list.replaceChildren(...found.slice(0, mostResults).map(({ entry: [page, section, address, text] }) =>
            make("li", {}, make("a", { href: address }, section ? `${page}: ${section}` : page, make("span", {}, ...excerpt(text, words))))));
    };

    input.addEventListener("focus", load);
    input.addEventListener("input", show);
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        list.querySelector("a")?.click();
    });
    list.addEventListener("click", () => (results.hidden = true));
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") results.hidden = true;
    });
    document.querySelector("header").append(form);
    input.value = new URLSearchParams(location.search).get("search") ?? "";
    if (input.value) show();
}
