import type { FidelityMode } from '../../machine/fidelity.js';
import { endsOf, headOf, proseOf } from '../../view/cut-text.js';
import { fitReport, fittingReport, type Report, type Section } from './fit-report.js';
import {
  describeDecision,
  describeEntry,
  describeStage,
  describeValue,
  type Measures,
} from './preamble-lines.js';
import type {
  CurrentStage,
  Decision,
  FailedAttempt,
  Interruption,
  Jump,
  PastEntry,
  PastStage,
  PreambleMaterial,
} from './preamble-material.js';

/**
 * Maximum tokens of a preamble: the sizes of the table in §5.4. `compact` is "moderate" there; ours lies
 * between the low and the medium summary. `truncate` is for a goal that is a whole document.
 */
const budgets = {
  truncate: 500,
  compact: 1000,
  'summary:low': 600,
  'summary:medium': 1500,
  'summary:high': 3000,
} as const;

/**
 * Preamble of an LLM stage about the run, before its own prompt (§5.4; the preamble transform of §9.2).
 * Empty before the first event, so that the first stage receives only its author's text. Under `full` it tells what the
 * conversation has not seen, and never less than `compact` would (SEMANTICS 124).
 */
export async function buildPreamble(mode: FidelityMode, material: PreambleMaterial): Promise<string> {
  if (hasNothingToTell(material)) return '';
  if (mode !== 'full') return fitReport(reportOf(mode, material), budgets[mode]);
  const least = () => fittingReport(compactReport(material), budgets.compact);
  if (material.isNews) return fitReport(newsReport(material), budgets['summary:medium'], least);
  return fitReport(summaryReport(material, 'summary:high'), budgets['summary:high'], least);
}

function hasNothingToTell({ past, known, context, isNews, goal }: PreambleMaterial): boolean {
  if (past.length > 0) return false;
  const isFirst = known === 0 && !isNews;
  return isFirst || (context.length === 0 && (isNews || goal.trim() === ''));
}

function reportOf(mode: Exclude<FidelityMode, 'full'>, material: PreambleMaterial): Report {
  switch (mode) {
    case 'truncate':
      return { intro: goalAndRun(material, 2500), sections: [] };
    case 'compact':
      return compactReport(material);
    case 'summary:low':
    case 'summary:medium':
    case 'summary:high':
      return summaryReport(material, mode);
  }
}

function goalAndRun({ goal, runId }: PreambleMaterial, longestGoal: number): readonly string[] {
  const run = `Run: ${runId}`;
  return goal.trim() === '' ? [run] : [`Goal: ${headOf(proseOf(goal), longestGoal)}`, run];
}

const framing =
  'You work on one stage of a longer run. This is what happened before; your task is below the line.';

const compactMeasures: Measures = {
  prose: 240,
  output: 160,
  value: 160,
  withLabel: false,
  withResponse: false,
};

/**
 * `compact`: structured bullets of the completed stages, their outcomes and the key values of the context.
 */
function compactReport(material: PreambleMaterial): Report {
  return {
    intro: [
      framing,
      ...[...goalAndRun(material, 800), `Your stage: ${placeOf(material)}`, ...noticesOf(material)].map(
        (line) => `- ${line}`,
      ),
    ],
    sections: [
      stageSection('Stages so far, the latest first:', 5, material, compactMeasures),
      valueSection('Context, the latest first:', 3, material, compactMeasures),
      decisionSection(material, compactMeasures),
    ],
  };
}

const summaryMeasures = {
  'summary:low': { prose: 160, output: 100, value: 80, withLabel: false, withResponse: false },
  'summary:medium': { prose: 320, output: 240, value: 240, withLabel: true, withResponse: true },
  'summary:high': { prose: 800, output: 900, value: 500, withLabel: true, withResponse: true },
} as const satisfies Record<string, Measures>;

/** Kinds of events that are worth a line; `summary:high` has room for the earlier visits of stages too. */
const notableKinds = {
  'summary:low': new Set<PastEntry['kind']>(),
  'summary:medium': new Set<PastEntry['kind']>(['failed_attempt', 'interruption', 'jump', 'run_failure']),
  'summary:high': new Set<PastEntry['kind']>([
    'failed_attempt',
    'interruption',
    'jump',
    'run_failure',
    'stage',
  ]),
} as const;

/** The three summaries: the run in a few sentences, then as many details as there is room for. */
function summaryReport(material: PreambleMaterial, mode: keyof typeof summaryMeasures): Report {
  const isLow = mode === 'summary:low';
  return {
    intro: [framing, ...goalAndRun(material, isLow ? 400 : 1500), overview(material), ...noticesOf(material)],
    sections: summarySections(material, mode, isLow ? shortHeadings : longHeadings),
  };
}

const shortHeadings = ['The latest stages:', 'Known so far:'] as const;
const longHeadings = ['Stages, the latest first:', 'Context, the latest first:'] as const;

function summarySections(
  material: PreambleMaterial,
  mode: keyof typeof summaryMeasures,
  [stages, values]: readonly [string, string],
): readonly Section[] {
  const measures = summaryMeasures[mode];
  return [
    stageSection(stages, 5, material, measures),
    eventSection(material, measures, notableKinds[mode]),
    valueSection(values, 3, material, measures),
    decisionSection(material, measures),
  ];
}

/** What the conversation of a stage has not seen: the run itself it knows. */
function newsReport(material: PreambleMaterial): Report {
  return {
    intro: [newsFraming, `Your stage is ${placeOf(material)}.`, ...noticesOf(material)],
    sections: summarySections(material, 'summary:medium', newsHeadings),
  };
}

const newsFraming =
  'This has happened in the run since your last stage in this conversation; your next task is below the line.';
const newsHeadings = [
  'Stages since then, the latest first:',
  'New in the context, the latest first:',
] as const;

/** The run in two sentences. */
function overview(material: PreambleMaterial): string {
  const { pipeline, counts } = material;
  const { stages, failures, retries } = counts;
  const ran = stages === 1 ? '1 stage has run' : `${stages} stages have run`;
  const asides = [
    ...(failures > 0 ? [`${failures} failed`] : []),
    ...(retries > 0 ? [`${retries} ${retries === 1 ? 'retry was' : 'retries were'} needed`] : []),
  ];
  const details = asides.length === 0 ? '' : ` (${asides.join(', ')})`;
  return `So far ${ran} of the pipeline "${headOf(pipeline, 60)}"${details}. Your stage is ${placeOf(material)}.`;
}

function placeOf({ stage: { id, label, visit } }: PreambleMaterial): string {
  const called = label === id ? '' : ` ("${headOf(proseOf(label), 80)}")`;
  return `${headOf(id, 60)}${called}${visit > 1 ? `, entered for the ${ordinal(visit)} time` : ''}`;
}

function ordinal(number: number): string {
  const lastTwo = number % 100;
  const suffix = lastTwo > 10 && lastTwo < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${suffix}`;
}

/**
 * Notices for a stage about its own beginning: the reason of the jump to it, and the ends of earlier
 * attempts.
 */
function noticesOf(material: PreambleMaterial): readonly string[] {
  return ownEntries(material).map((entry) => noticeOf(entry, material.stage));
}

function noticeOf(entry: OwnEntry, { attempt }: CurrentStage): string {
  switch (entry.kind) {
    case 'jump':
      return entry.gate === undefined
        ? `The run was sent to your stage because stage ${entry.from} failed.`
        : `The run was sent back to your stage because the goal gate ${entry.gate} is not satisfied.`;
    case 'failed_attempt':
      return `This is attempt ${attempt}. The one before failed: ${endsOf(proseOf(entry.reason), 400)}`;
    case 'interruption':
      return 'Your stage was cut off before and runs again: some of its work may be there already.';
  }
}

type OwnEntry = Jump | FailedAttempt | Interruption;

/**
 * Entries for these notices: the jump by which the stage was entered, its latest failed attempt in this
 * visit, and its latest interruption.
 */
function ownEntries({ past, stage }: PreambleMaterial): readonly OwnEntry[] {
  const isOwn = (entry: FailedAttempt | Interruption): boolean =>
    entry.id === stage.id && entry.visit === stage.visit;
  const arrival = past.find((entry) => entry.kind === 'stage' || entry.kind === 'jump');
  const jump = arrival?.kind === 'jump' && arrival.to === stage.id ? arrival : undefined;
  const attempt = past.find((entry) => entry.kind === 'failed_attempt' && isOwn(entry));
  const interruption = past.find((entry) => entry.kind === 'interruption' && isOwn(entry));
  const entries = [jump, attempt, interruption] as readonly (OwnEntry | undefined)[];
  return entries.filter((entry) => entry !== undefined);
}

/**
 * Section of stages, each once by its latest visit: its outcome, and the number of visits. Answers of
 * people are in the section of questions.
 */
function stageSection(
  heading: string,
  weight: number,
  material: PreambleMaterial,
  measures: Measures,
): Section {
  const gates = new Set(decisionsOf(material).map(({ id }) => id));
  const stages = latestVisits(material).map((stage) => {
    const isTold = gates.has(stage.id) && stage.status === 'success';
    return isTold ? { ...stage, notes: '' } : stage;
  });
  const told = stages.reduce((visits, stage) => visits + stage.visit, material.known);
  return {
    about: 'stages',
    heading,
    weight,
    items: stages.map((stage) => describeStage(stage, measures)),
    hidden: Math.max(0, material.counts.stages - told),
    omitted: (count) => `… and ${count} earlier ${count === 1 ? 'stage' : 'stages'}`,
  };
}

function latestVisits({ past }: PreambleMaterial): readonly PastStage[] {
  const latest = new Map<string, PastStage>();
  for (const entry of past) {
    if (entry.kind === 'stage' && !latest.has(entry.id)) latest.set(entry.id, entry);
  }
  return [...latest.values()];
}

function valueSection(
  heading: string,
  weight: number,
  material: PreambleMaterial,
  measures: Measures,
): Section {
  return {
    about: 'context',
    heading,
    weight,
    items: material.context.map((value) => describeValue(value, measures)),
    hidden: 0,
    omitted: (count) => `… and ${count} more ${count === 1 ? 'value' : 'values'}`,
  };
}

/** Section of events that are not in the list of stages; notices to the stage are not repeated. */
function eventSection(
  material: PreambleMaterial,
  measures: Measures,
  kinds: ReadonlySet<PastEntry['kind']>,
): Section {
  const told = new Set<PastEntry>([...ownEntries(material), ...latestVisits(material)]);
  const events = material.past.filter((entry) => kinds.has(entry.kind) && !told.has(entry));
  return {
    about: 'events',
    heading: 'What else happened, the latest first:',
    weight: 3,
    items: events.map((event) => describeEntry(event, measures)),
    hidden: 0,
    omitted: (count) => `… and ${count} earlier ${count === 1 ? 'event' : 'events'}`,
  };
}

function decisionsOf({ past }: PreambleMaterial): readonly Decision[] {
  return past.filter((entry): entry is Decision => entry.kind === 'decision');
}

function decisionSection(material: PreambleMaterial, { prose }: Measures): Section {
  return {
    about: 'decisions',
    heading: 'What people decided, the latest first:',
    weight: 2,
    items: decisionsOf(material).map((decision) => describeDecision(decision, prose)),
    hidden: 0,
    omitted: (count) => `… and ${count} earlier ${count === 1 ? 'answer' : 'answers'}`,
  };
}
