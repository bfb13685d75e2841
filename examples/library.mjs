// Compiles a pipeline, runs it with a handler and a backend of our own, watches it, and looks at what came out.
//
//   node examples/library.mjs

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compile, HandlerRegistry, renderPretty, start } from 'attractor-dot';

const text = `
digraph weather_report {
    graph [goal="A weather report that people understand"]
    start  [shape=Mdiamond]
    done   [shape=Msquare]
    fetch  [type="weather.fetch", city="Oslo", label="Fetch the weather"]
    report [prompt="Explain the weather. The goal: $goal"]
    start -> fetch -> report -> done
}`;

// A handler performs one stage and reports an outcome. The graph decides where control goes next.
const handlers = new HandlerRegistry().register('weather.fetch', {
  execute({ node, context }) {
    const city = String(node.attributes.get('city')?.value);
    return {
      status: 'success',
      context_updates: { city, temperature: context.getString('unit') === 'F' ? 28 : -2 },
    };
  },
});

// A backend does the work of LLM stages: call a model here, with the prompt.
const backend = {
  async run(_node, _prompt, context) {
    return `It is ${context.get('temperature')} degrees in ${context.get('city')}.`;
  },
};

const compilation = compile(text, { name: 'weather.dot', handlerTypes: handlers.types });
process.stdout.write(renderPretty([compilation], { color: false }));

const runDirectory = path.join(mkdtempSync(path.join(tmpdir(), 'attractor-')), 'run');
const execution = start(compilation, { handlers, backend, runDirectory, inputs: { unit: 'C' } });
for await (const event of execution.events()) {
  if (event.type === 'StageCompleted') console.log(event.description);
}

// If you do not need the events: const result = await run(compilation, { … });
const result = await execution.result;
console.log(result.status, result.path.join(' -> '));
console.log(result.context.last_response);
rmSync(path.dirname(runDirectory), { recursive: true });
