import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBuiltQueries } from './support/find-built-queries.js';
import { findEventTypes } from './support/find-event-types.js';
import { findImpurities } from './support/find-impurities.js';
import { findIndirectQuestions } from './support/find-indirect-questions.js';
import { findSpreads } from './support/find-spreads.js';

const root = join(import.meta.dirname, '..');
const corePlaces: readonly string[] = JSON.parse(
  readFileSync(join(root, 'tsconfig.core.json'), 'utf8'),
).include;

describe('the pure core', () => {
  const files = corePlaces.flatMap(filesOf);

  it('is where tsconfig.core.json says', () => {
    const empty = corePlaces.filter((place) => !files.some((file) => file.startsWith(place)));
    expect(empty).toEqual([]);
  });

  it('reads no clock, no randomness, no environment and no console', () => {
    const impurities = files.flatMap((file) =>
      findImpurities(readFileSync(join(root, file), 'utf8')).map((what) => `${file}:${what}`),
    );
    expect(impurities).toEqual([]);
  });
});

describe('the object literals of src/', () => {
  const spreads = filesOf('src').map(
    (file) => [file, findSpreads(readFileSync(join(root, file), 'utf8'))] as const,
  );

  it('spread no object literal', () => {
    const found = spreads.flatMap(([file, { ofLiterals }]) => ofLiterals.map((place) => `${file}:${place}`));
    expect(found).toEqual([]);
  });

  it('have a key that may be undefined in place of a conditional spread', () => {
    const found = spreads.flatMap(([file, { conditional }]) =>
      conditional.map((place) => `${file}:${place}`),
    );
    expect(found).toEqual([]);
  });
});

describe('the SQL of src/', () => {
  /** Statements that change tables and roles take no parameters; all of these are constants of `tables.ts` and `rights.ts`. */
  const migrations = 'src/cluster/dbos/migrate.ts';

  it('is a text to which values come as parameters', () => {
    const found = filesOf('src').flatMap((file) =>
      findBuiltQueries(readFileSync(join(root, file), 'utf8')).map((what) => `${file}:${what}`),
    );
    expect(found.filter((place) => !place.startsWith(migrations))).toEqual([]);
  });

  it.each([
    ['pool.query(`select ${id}`)', 1],
    ["pool.query('select ' + id)", 1],
    ['pool.query(sql)', 1],
    ['let sql = `select 1`; pool.query(sql)', 1],
    ['const sql = `select $1`; pool.query(sql, [id])', 0],
    ['client.query<{ a: 1 }>(`select $1`, [id])', 0],
    ["client.query({ name: 'one', text: `select $1`, values: [id] })", 0],
    ["client.query({ name: 'one', text: `select ${id}`, values: [] })", 1],
    ["client.query({ text: 'select 1', ...other })", 1],
  ])('is found in %s: %i', (text, count) => {
    expect(findBuiltQueries(text)).toHaveLength(count);
  });
});

it('has no folder with more than 45 files', () => {
  const folders = filesOf('src').map((file) => dirname(file));
  const large = [...new Set(folders)].filter((one) => folders.filter((other) => other === one).length > 45);
  expect(large).toEqual([]);
});

/** Highest share of doc comments that begin as an indirect question (`What a driver needs`): lower it, never raise it. */
const mostQuestions = 0.01;

it('begins doc comments with a noun or a verb', () => {
  const files = filesOf('src');
  const found = files.map((file) => findIndirectQuestions(readFileSync(join(root, file), 'utf8')));
  const count = found.reduce((sum, one) => sum + one.count, 0);
  const questions = files.flatMap((file, index) =>
    (found[index]?.questions ?? []).map((question) => `${file}:${question}`),
  );
  expect(count).toBeGreaterThan(5000);
  const isWithin = questions.length <= count * mostQuestions;
  expect(isWithin ? [] : questions).toEqual([]);
});

/** Files outside of the view that decide by the types of events, each with the reason. */
const decideByEvents: ReadonlyMap<string, string> = new Map([
  ...reason('turns each event into words, one by one, and keeps nothing of the run', [
    'cli/commands/logs.ts',
    'cli/progress/progress-line.ts',
    'cli/progress/progress-lines.ts',
    'cli/progress/progress.ts',
    'cli/progress/verbose-output.ts',
    'server/runs/observe-runs.ts',
    'web/run/model/event-list.ts',
    'web/run/tabs/events-tab.tsx',
    'web/simulator/explain-route.ts',
    'web/simulator/step-list.tsx',
  ]),
  ...reason('turns each event into a span or a measurement', [
    'telemetry/metrics.ts',
    'telemetry/run-spans.ts',
    'telemetry/tracing.ts',
  ]),
  ...reason('counts the deaths of workers by attempt, which a view of the run does not know', [
    'cluster/deaths.ts',
  ]),
  ...reason('counts the answers since a call, in the run and in its children, for the script of that call', [
    'cluster/run-history.ts',
  ]),
  ...reason('acts at the beginning of an execution', [
    'cli/execute-run.ts',
    'web/simulator/advance-simulation.ts',
  ]),
  ...reason('writes files of stages from the state of the machine right after an event', [
    'run/driver/driver.ts',
    'run/driver/durable-log.ts',
    'run/driver/parallel-results.ts',
    'run/driver/stage-views.ts',
    'run/driver/status-files.ts',
  ]),
  ...reason('counts what each event covers of a pipeline, one by one', ['testing/watch-coverage.ts']),
  ...reason('makes a script of what the events of a run say, one by one', [
    'testing/generate/case-from-run.ts',
  ]),
  ...reason('needs the failed forks of the machine, which no view has', ['run/continuation.ts']),
  ...reason('a simulation continues with the keys that its stages have made up', [
    'run/simulate/made-up-words.ts',
  ]),
  ...reason('counts again in the run above what a child has used', ['run/children/child-usage.ts']),
  ...reason(
    'counts attempts and answers of all runs below, for scripts that the run above shares with them',
    ['run/children/entries-below.ts'],
  ),
  ...reason('chooses the events themselves that a stage is told of, a bounded number for each branch', [
    'run/preamble/preamble-material.ts',
    'run/preamble/run-history.ts',
    'run/preamble/unseen-past.ts',
  ]),
  ...reason('finds places in a recorded journal, or compares two, event by event', [
    'run/recording/comparable-journal.ts',
    'run/recording/fork-files.ts',
    'run/recording/fork-point.ts',
    'run/recording/lifted-budgets.ts',
    'run/recording/question-keys.ts',
    'run/recording/recorded-stop.ts',
    'run/recording/replay-interviewer.ts',
    'run/recording/replay.ts',
    'run/recording/reroute.ts',
    'run/recording/settled-attempts.ts',
    'run/recording/visit-keys.ts',
  ]),
  ...reason('a proof follows the machine in a search, which no view folds', [
    'check/check-properties.ts',
    'check/script-of.ts',
    'web/playground/properties-panel.tsx',
  ]),
  ...reason('looks for one answer among the events, of which the view keeps none', [
    'cluster/mirror/relay.ts',
  ]),
  ...reason('asks which words of people models have got, of which the view keeps none', [
    'run/elsewhere/perform-attempt.ts',
  ]),
  ...reason('the view reads journals, so that these cannot ask it whether one has ended', [
    'journal/follow-journal.ts',
  ]),
]);

function reason(why: string, files: readonly string[]): readonly (readonly [string, string])[] {
  return files.map((file) => [`src/${file}`, why]);
}

describe('what is said of a run', () => {
  const deciding = filesOf('src').filter(
    (file) => findEventTypes(readFileSync(join(root, file), 'utf8')).length > 0,
  );

  it('comes from one fold of its events', () => {
    const folds = deciding.filter(
      (file) =>
        file.startsWith('src/view/') && /case 'Stage[A-Z]/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(folds).toEqual(['src/view/fold/apply.ts']);
  });

  it('is decided nowhere else by the types of events, but where there is a reason', () => {
    const others = deciding.filter((file) => !/^src\/(?:machine|view)\//.test(file));
    expect(others.sort()).toEqual([...decideByEvents.keys()].sort());
  });
});

/** The TypeScript files at or below a place, relative to the repository. */
function filesOf(place: string): string[] {
  if (place.endsWith('.ts')) return [place];
  return readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${place}/${file.replaceAll('\\', '/')}`);
}
