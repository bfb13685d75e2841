import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const corePlaces: readonly string[] = JSON.parse(
  readFileSync(join(root, 'tsconfig.core.json'), 'utf8'),
).include;

/** To read every import takes seconds, and a busy machine several times as long. */
const cruiseTimeout = 240_000;

describe('the imports of src/', () => {
  let result: ICruiseResult;
  beforeAll(async () => {
    result = await cruiseSrc(root);
  }, cruiseTimeout);

  it('are all seen: a cruise that skips files would always be green', () => {
    const seen = new Set(result.modules.map(({ source }) => source));
    const unseen = filesOf('src').filter((file) => !seen.has(file));
    expect(unseen).toEqual([]);
    expect(seen.size).toBeGreaterThan(0);
  });

  it('keep to the table of who may import whom', () => {
    expect(violationsOf(result)).toEqual([]);
  });
});

/** Files that must not be, each with the rule that must say so. */
const planted: readonly (readonly [rule: string, file: string, text: string])[] = [
  ['layer-diagnostic', 'diagnostic/planted.ts', "import '../graph/target.js';"],
  ['layer-parser', 'parser/dot/planted.ts', "import '../../lint/target.js';"],
  ['layer-format', 'format/planted.ts', "import '../graph/target.js';"],
  ['layer-graph', 'graph/planted.ts', "import '../transforms/target.js';"],
  ['layer-graph', 'graph/planted-type.ts', "export type { T } from '../lint/target.js';"],
  ['layer-transforms', 'transforms/planted.ts', "import '../lint/target.js';"],
  ['layer-importers', 'importers/planted.ts', "import '../lint/target.js';"],
  ['layer-lint', 'lint/rules/planted.ts', "import '../../machine/target.js';"],
  ['layer-compiler', 'compiler/planted.ts', "import '../machine/target.js';"],
  ['layer-machine', 'machine/planted.ts', "import '../handlers/target.js';"],
  ['layer-check', 'check/planted.ts', "import '../backends/target.js';"],
  ['layer-diff', 'diff/planted.ts', "import '../backends/target.js';"],
  ['layer-abort', 'abort/planted.ts', "import '../handlers/target.js';"],
  ['layer-secrets', 'secrets/planted.ts', "import '../graph/target.js';"],
  ['layer-handlers', 'handlers/planted.ts', "import '../run/target.js';"],
  ['layer-run-directory', 'run-directory/planted.ts', "import '../journal/target.js';"],
  ['layer-journal', 'journal/planted.ts', "import '../view/target.js';"],
  ['layer-threads', 'threads/planted.ts', "import '../render/target.js';"],
  ['layer-render', 'render/planted.ts', "import '../run/target.js';"],
  ['layer-view', 'view/planted.ts', "import '../run/target.js';"],
  ['layer-run', 'run/planted.ts', "import '../cli/target.js';"],
  ['layer-run', 'run/driver/planted.ts', "import '../../backends/target.js';"],
  ['layer-testing', 'testing/planted.ts', "import '../backends/target.js';"],
  ['layer-backends', 'backends/planted.ts', "import '../cli/target.js';"],
  ['layer-workspaces', 'workspaces/git/planted.ts', "import '../../run/target.js';"],
  ['layer-plugins', 'plugins/planted.ts', "import '../setup/target.js';"],
  ['layer-telemetry', 'telemetry/planted.ts', "import '../backends/target.js';"],
  ['layer-setup', 'setup/planted.ts', "import '../cli/target.js';"],
  ['layer-cluster', 'cluster/planted.ts', "import '../backends/target.js';"],
  ['layer-report', 'report/planted.ts', "import '../backends/target.js';"],
  ['layer-lsp-services', 'lsp/services/planted.ts', "import '../../setup/target.js';"],
  ['layer-lsp-server', 'lsp/server/planted.ts', "import '../../cli/target.js';"],
  ['layer-mcp', 'mcp/planted.ts', "import '../web/target.js';"],
  ['layer-server-api', 'server/api/planted.ts', "import '../../run/target.js';"],
  ['layer-cli', 'cli/planted.ts', "import '../web/target.js';"],
  ['layer-server', 'server/planted.ts', "import '../cli/target.js';"],
  ['layer-web', 'web/planted.ts', "import '../server/runs/target.js';"],
  ['layer-index', 'index.ts', "import './cli/target.js';"],
  ['layer-core', 'core.ts', "import './cli/target.js';"],
  ['layer-version', 'version.ts', "import './graph/target.js';"],
  ['no-unlisted-folder', 'utils/planted.ts', "import '../graph/target.js';"],
  ['no-cycle', 'graph/cycle.ts', "import './cycle-partner.js';"],
  ['no-cycle', 'graph/type-cycle.ts', "import type { B } from './type-cycle-partner.js';"],
  ['no-orphan', 'lint/rules/orphan.ts', 'export const orphan = 1;'],
  ['no-unresolvable', 'graph/unresolvable.ts', "import './nowhere.js';"],
  ['src-only', 'graph/reaches-out.ts', "import '../../test/target.js';"],
  ['pure-core-no-builtins', 'graph/reads-paths.ts', "import type { ParsedPath } from 'path';"],
  ['pure-core-packages-graph', 'graph/foreign.ts', "import 'yaml';"],
  ['pure-core-packages-machine', 'machine/foreign.ts', "import 'chalk';"],
  ...corePlaces.map((place) => {
    const path = place.replace('src/', '');
    const file = path.endsWith('.ts') ? path : `${path}/reads-files.ts`;
    return ['pure-core-no-builtins', file, "import 'node:fs';"] as const;
  }),
];

/** The other halves of the planted cycles. */
const partners: typeof planted = [
  ['no-cycle', 'graph/cycle-partner.ts', "import './cycle.js';"],
  ['no-cycle', 'graph/type-cycle-partner.ts', "export type { B } from './type-cycle.js';"],
];

describe('a planted violation', () => {
  let folder: string;
  const found = new Set<string>();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attractor-architecture-'));
    for (const [, file, text] of [...planted, ...partners]) write(join(folder, 'src', file), `${text}\n`);
    for (const target of targetsOf(planted)) write(join(folder, target), 'export type T = string;\n');
    for (const file of ['package.json', 'tsconfig.json'])
      write(join(folder, file), readFileSync(join(root, file), 'utf8'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
    for (const violation of violationsOf(await cruiseSrc(folder))) found.add(violation);
  }, cruiseTimeout);
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(planted)('is reported: %s by src/%s', (rule, file) => {
    expect([...found]).toContain(`${rule}: src/${file}`);
  });

  it('is planted for every rule', async () => {
    const { ruleSet } = await extractOptions(join(root, '.dependency-cruiser.mjs'));
    const covered = new Set(planted.map(([rule]) => rule));
    const names = (ruleSet?.forbidden ?? []).map(({ name }) => name ?? 'unnamed');
    // One row of the packages' rules stands for the others: they are made by the same line.
    const open = names.filter((name) => !covered.has(name) && !name.startsWith('pure-core-packages-'));
    expect(open).toEqual([]);
  });
});

async function cruiseSrc(baseDir: string): Promise<ICruiseResult> {
  const options = await extractOptions(join(root, '.dependency-cruiser.mjs'));
  const { output } = await cruise(
    ['src'],
    { ...options, baseDir, validate: true },
    options.enhancedResolveOptions,
    {
      tsConfig: extractTsConfig(join(baseDir, 'tsconfig.json')),
    },
  );
  if (typeof output === 'string') throw new Error('expected a result object');
  return output;
}

function violationsOf(result: ICruiseResult): string[] {
  return result.summary.violations.flatMap(({ rule, from, cycle = [] }) =>
    [...new Set([from, ...cycle.map(({ name }) => name)])].map((file) => `${rule.name}: ${file}`),
  );
}

/** The TypeScript files at or below a place, relative to the repository. */
function filesOf(place: string): string[] {
  if (place.endsWith('.ts')) return [place];
  return readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${place}/${file.replaceAll('\\', '/')}`);
}

/** The files named `target` that the planted ones import, relative to the repository. */
function targetsOf(files: typeof planted): Set<string> {
  const targets = files.flatMap(([, file, text]) =>
    [...text.matchAll(/'(\.[^']*target)\.js'/g)].map(([, path]) => join('src', dirname(file), `${path}.ts`)),
  );
  return new Set(targets);
}

/** Two rows may plant in the same file. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, text);
}
