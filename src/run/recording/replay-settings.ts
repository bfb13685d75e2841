import path from 'node:path';
import type { PipelineStarted, RunEvent } from '../../machine/event.js';
import { settingsOf } from '../../run-directory/manifest-settings.js';
import { fieldList, type RecordedField, type RecordedSettings } from '../../run-directory/recorded-fields.js';
import { emptyScript } from '../../run-directory/simulation-script.js';
import { absentInterviewer } from '../questions/interviewer.js';
import { type RunSettings, withInputs, withPorts, withRecorded } from '../run-settings.js';
import { virtualClock } from '../simulate/virtual-clock.js';
import { hasLiftedBudgets } from './lifted-budgets.js';
import type { ReplaySource } from './replay-source.js';

/**
 * Settings of a run that plays another one back: those it was started with, on a clock on which nothing
 * takes time, and without git, because no file is changed.
 */
export function replaySettings(callSettings: RunSettings, source: ReplaySource): RunSettings {
  const { manifest, events, directory } = source.recorded;
  const before = settingsOf(manifest);
  const limits = hasLiftedBudgets(events)
    ? { ...before, budgetUsd: undefined, budgetTokens: undefined, stageBudgets: undefined }
    : { ...before, budgetUsd: startedWith(events)?.budget_usd ?? before.budgetUsd };
  const recorded: RecordedSettings = Object.fromEntries(
    fieldList.map(([name, { onReplay }]) => [
      name,
      onReplay === 'recorded' ? (callSettings.recorded[name] ?? limits[name]) : callSettings.recorded[name],
    ]),
  );
  const settings = continuedReplaySettings(
    withRecorded(callSettings, {
      ...recorded,
      script: { nodes: (recorded.script ?? emptyScript).nodes, answers: emptyScript.answers },
      replay: path.resolve(directory),
    }),
  );
  return callSettings.recorded.inputs === undefined ? withInputs(settings, manifest.inputs) : settings;
}

/** Event with the budget that held, which may be the default of the recorded run. */
function startedWith(events: readonly RunEvent[]): PipelineStarted | undefined {
  return events.find((event) => 'graph_hash' in event);
}

/** Settings of a replay that is resumed, whose manifest has the rest. */
export function continuedReplaySettings(settings: RunSettings): RunSettings {
  const off: RecordedSettings = Object.fromEntries(
    fieldList.flatMap(([name, field]) => (field.onReplay === 'off' ? [[name, offValue(field)]] : [])),
  );
  return withPorts(withRecorded(settings, off), {
    clock: settings.ports.clock ?? virtualClock(),
    // Nobody is asked: the answers are those of the recorded run.
    interviewer: absentInterviewer,
  });
}

function offValue({ kind }: RecordedField): false | undefined {
  return kind === 'switch' ? false : undefined;
}
