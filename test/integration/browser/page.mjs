// What a page does with the core: a test bundles this with rolldown, as the author of a page would, and runs it in Chromium.

import {
  builtInRules,
  compile,
  fix,
  format,
  parseDot,
  readScript,
  renderPretty,
  simulate,
} from 'attractor-dot/core';

/** The statements of a text, and the codes of what is wrong with it. */
function parsed(text) {
  const { document, diagnostics } = parseDot(text);
  return {
    statements: document.graph?.statements.map(({ kind }) => kind),
    codes: diagnostics.map(({ code }) => code),
  };
}

function linted(text) {
  const compilation = compile(text, { name: 'page.dot' });
  return {
    rules: compilation.diagnostics.map(({ rule }) => rule),
    printed: renderPretty([compilation], { color: false }),
    isRunnable: compilation.program !== undefined,
    known: builtInRules.length,
  };
}

/** The result of a simulation with the types of its events, but for what every run has of its own. */
async function simulated(text, { script, ...options } = {}) {
  const events = [];
  const { run_id: _, ...result } = await simulate(text, {
    ...options,
    ...(script && { script: readScript(script, 'the script of the page') }),
    onEvent: ({ run_id: _run, timestamp: _time, graph_hash: _hash, id: _id, ...event }) => events.push(event),
  });
  return { result, events };
}

/** The text in the canonical form, and with its mistakes mended. */
function mended(text) {
  return { formatted: format(text), fixed: fix(text).text };
}

globalThis.core = { parsed, linted, mended, simulated };
