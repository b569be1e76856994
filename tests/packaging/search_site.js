// Search the built guide as its pages do: node search_site.js SITE QUESTION...
// Prints one JSON object: each question and the first page that the search returns.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [site, ...questions] = process.argv.slice(2);
const answers = [];
let listener;

// The search of Material for MkDocs is a web worker: give it the few globals that it uses.
const worker = { console, postMessage: (message) => answers.push(message) };
worker.self = worker;
worker.addEventListener = (_, added) => (listener = added);
const folder = path.join(site, "assets", "javascripts", "workers");
const name = fs.readdirSync(folder).find((each) => /^search\..*\.js$/.test(each));
vm.runInNewContext(fs.readFileSync(path.join(folder, name), "utf8"), worker);

async function ask(type, data) {
  answers.length = 0;
  await listener({ data: { type, data } });
  while (!answers.length) await new Promise((resolve) => setTimeout(resolve, 1));
  return answers[0].data;
}

async function main() {
  const index = JSON.parse(fs.readFileSync(path.join(site, "search", "search_index.json"), "utf8"));
  await ask(0, { ...index, options: {} });
  const found = {};
  for (const question of questions) {
    const { items } = await ask(2, question);
    found[question] = items.length ? items[0][0].location.split("#")[0] : "";
  }
  console.log(JSON.stringify(found));
}

main();
