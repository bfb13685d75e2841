import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { autoBackend } from '../../../src/backends/auto.js';
import { builtInBackends } from '../../../src/backends/index.js';
import { noBackendSettings } from '../../../src/backends/no-settings.js';
import { hasErrors } from '../../../src/diagnostic/diagnostic.js';
import { compile, type RunResult, run } from '../../../src/index.js';
import { pipelineFiles } from '../../../src/run/pipeline-files.js';
import { emptyScript } from '../../../src/run-directory/simulation-script.js';
import { preflight } from '../../../src/setup/preflight/preflight.js';
import { pipeline } from '../../run/harness.js';
import { fc, runsOf } from '../../support/fast-check.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** Requests of models, by what they need of the environment. */
const models = [
  'llm_model="claude-sonnet-4-5"',
  'llm_model="gpt-5.2"',
  'llm_model="openai/gpt-5.2", llm_provider=openai',
  'llm_provider=gemini, llm_model="gemini-2.5-pro"',
  'llm_provider=codex',
  'llm_provider="claude-code", budget_usd=1',
  'llm_provider=simulated',
  'llm_model="ollama/qwen3"',
  'llm_provider=anthropc, llm_model=x',
  'label="no model"',
];
/** Those that everything set and installed satisfies. */
const usable = 8;
const files = ['child.dot', 'deep.dot', 'gone.dot'];
const keys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];
const programs = ['codex', 'codex-acp', 'claude'];
const variables = ['ONE', 'TWO'];

/** All of them as a rule, so that enough runs pass. */
function mostly(all: readonly string[]): fc.Arbitrary<readonly string[]> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(all) },
    { weight: 1, arbitrary: fc.subarray([...all]) },
  );
}

const stage = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...models.slice(0, usable)) },
  fc.constantFrom(...models),
  fc.constantFrom(...files).map((file) => `type=pipeline, child="${file}"`),
);
const statements = fc.record({
  stages: fc.array(stage, { minLength: 1, maxLength: 3 }),
  requires: fc.subarray(variables),
});
const project = fc.record({
  main: statements,
  child: statements,
  deep: statements,
  keys: mostly(keys),
  programs: mostly(programs),
  variables: mostly(variables),
  written: mostly(['child.dot', 'deep.dot']),
});

type Statements = typeof statements extends fc.Arbitrary<infer Value> ? Value : never;

function dotOf({ stages, requires }: Statements): string {
  const nodes = stages.map((attributes, index) => `s${index} [${attributes}]`);
  const line = ['start', ...stages.map((_, index) => `s${index}`), 'exit'].join(' -> ');
  return pipeline(`graph [env_requires="${requires.join(', ')}"]`, ...nodes, line);
}

/** Failures of which nothing may be left once the preflight has found no error. */
const foreseeable =
  /is not set|is not installed|there is no (?:provider|agent|program)|unknown provider|does not exist|cannot tell which provider|no provider and no model/;

test('121: a run that passed its preflight lacks no key, no agent, no variable and no child', async () => {
  let passed = 0;
  await fc.assert(
    fc.asyncProperty(project, async (given) => {
      const directory = temporaryDirectory();
      for (const [name, own] of [
        ['child.dot', given.child],
        ['deep.dot', given.deep],
      ] as const)
        if (given.written.includes(name)) writeFileSync(path.join(directory, name), dotOf(own));
      const bin = path.join(directory, 'bin');
      mkdirSync(bin);
      for (const name of given.programs) {
        writeFileSync(path.join(bin, name), '');
        chmodSync(path.join(bin, name), 0o755);
      }
      const environment: Record<string, string> = { PATH: bin };
      for (const name of given.keys) environment[name] = `key-of-${name}`;
      for (const name of given.variables) environment[name] = 'set';
      const result = await runUnlessRefused(dotOf(given.main), directory, environment);
      if (result === undefined || mayBeWrittenLater(given, directory)) return;
      passed += 1;
      expect(result.failure_reason ?? '').not.toMatch(foreseeable);
    }),
    { numRuns: runsOf({ quick: 50, thorough: 150 }) },
  );
  expect(passed).toBeGreaterThan(5);
});

/** True if a file is missing that a stage before could write, of which lint only warns. */
function mayBeWrittenLater(
  given: { readonly [name in 'main' | 'child' | 'deep']: Statements },
  directory: string,
) {
  const files = pipelineFiles(undefined, { directory });
  return [given.main, given.child, given.deep].some((one) =>
    compile(dotOf(one), { files }).diagnostics.some(({ rule }) => rule === 'child_exists'),
  );
}

/** Runs a pipeline with models that answer at once, chosen as for a real run. */
async function runUnlessRefused(
  dot: string,
  directory: string,
  environment: Readonly<Record<string, string>>,
): Promise<RunResult | undefined> {
  const compilation = compile(dot, { files: pipelineFiles(undefined, { directory }) });
  const { findings } = await preflight({
    graph: compilation.graph,
    extensions: {
      handlers: [],
      transforms: [],
      rules: [],
      interviewers: new Map(),
      backends: new Map(),
      notices: [],
      settings: noBackendSettings,
      ruleSettings: new Map(),
      properties: [],
      record: undefined,
    },
    workingDirectory: directory,
    variables: environment,
    simulate: false,
    script: emptyScript,
    inputs: {},
    areFilesLinted: true,
    childDirectory: directory,
  });
  if (compilation.program === undefined || hasErrors(findings)) return undefined;
  const definitions = builtInBackends.map((definition) => ({
    ...definition,
    create: async () => ({ readsFiles: () => true, run: async () => 'done' }),
  }));
  const backend = autoBackend(
    { workingDirectory: directory, settings: noBackendSettings, variables: environment },
    definitions,
  );
  const result = await run(compilation, {
    backend,
    variables: environment,
    workingDirectory: directory,
    runDirectory: path.join(directory, 'run'),
  });
  return result.status === 'invalid' ? undefined : result;
}
