import { z } from 'zod';
import { nodeFileSystem } from '../run-directory/file-system.js';
import type { RecordedSettings } from '../run-directory/recorded-fields.js';
import { givenOption, recordedSettings } from '../run-directory/recorded-settings.js';
import { RunError } from '../run-directory/run-error.js';
import type { Redactor } from '../secrets/redactor.js';
import { HandlerRegistry } from './driver/handler-registry.js';
import { runRedactor } from './driver/run-redactor.js';
import { readInputs } from './read-inputs.js';
import { redactedInputs } from './redacted-inputs.js';
import type { ResumeOptions, RunOptions, RunPorts } from './run-options.js';

/** Ports of a run with their defaults. */
export interface SettledPorts extends RunPorts {
  readonly handlers: HandlerRegistry;
  readonly secrets: Redactor;
  readonly fileSystem: NonNullable<RunPorts['fileSystem']>;
  readonly variables: NonNullable<RunPorts['variables']>;
}

/**
 * All settings of a run, from any source: the part that the manifest keeps, and the part that ends with the
 * process.
 */
export interface RunSettings {
  readonly recorded: RecordedSettings;
  readonly ports: SettledPorts;
  /** Warnings about inputs that could not be kept as they were given (SEMANTICS 66a). */
  readonly truncatedInputs: readonly string[];
}

const runPorts = z.object({
  handlers: givenOption<HandlerRegistry | undefined>('handlers', {
    accepts: (value) => value instanceof HandlerRegistry,
    expected: 'a HandlerRegistry',
    hint: ': new HandlerRegistry().register(type, handler)',
  }).optional(),
  backend: port<'backend'>(),
  interviewer: port<'interviewer'>(),
  shouldRetry: port<'shouldRetry'>(),
  transforms: port<'transforms'>(),
  rules: port<'rules'>(),
  ruleSettings: port<'ruleSettings'>(),
  properties: port<'properties'>(),
  onEvent: port<'onEvent'>(),
  onChildEvent: port<'onChildEvent'>(),
  onText: port<'onText'>(),
  onNotice: port<'onNotice'>(),
  signal: port<'signal'>(),
  pauseSignal: port<'pauseSignal'>(),
  secrets: port<'secrets'>(),
  variables: port<'variables'>(),
  childPolicy: port<'childPolicy'>(),
  bounds: port<'bounds'>(),
  clock: port<'clock'>(),
  fileSystem: port<'fileSystem'>(),
} satisfies { [Name in keyof RunPorts]-?: z.ZodType<RunPorts[Name]> });

function port<Name extends keyof RunPorts>() {
  return z.custom<RunPorts[Name]>().optional();
}

const runSettings = z.object({ recorded: recordedSettings, ports: runPorts });

/**
 * Options of `run` and `resume` as settings: each goes to its half, and unknown ones are dropped.
 * @throws RunError `usage` for an invalid option, and for inputs that cannot be read
 */
export function parseRunSettings(options: RunOptions & ResumeOptions): RunSettings {
  const parsed = runSettings.safeParse({ recorded: options, ports: options });
  if (!parsed.success)
    throw new RunError('usage', parsed.error.issues[0]?.message ?? 'the options cannot be used');
  const { recorded, ports } = parsed.data;
  const secrets = runRedactor(ports.secrets, ports.backend?.knownSecrets);
  const settings: RunSettings = {
    recorded,
    ports: {
      ...ports,
      handlers: ports.handlers ?? new HandlerRegistry(),
      fileSystem: ports.fileSystem ?? nodeFileSystem,
      variables: ports.variables ?? process.env,
      secrets,
    },
    truncatedInputs: [],
  };
  return recorded.inputs === undefined ? settings : withInputs(settings, recorded.inputs);
}

/** Settings with other inputs: a copy without secrets, independent of the caller's object. */
export function withInputs(settings: RunSettings, given: unknown): RunSettings {
  const { values, truncatedInputs } = redactedInputs(readInputs(given), settings.ports.secrets);
  return {
    ...settings,
    recorded: { ...settings.recorded, inputs: values },
    truncatedInputs: truncatedInputs,
  };
}

/** Settings with other values for some recorded fields. */
export function withRecorded(settings: RunSettings, changed: RecordedSettings): RunSettings {
  return { ...settings, recorded: { ...settings.recorded, ...changed } };
}

/** Settings with other ports. */
export function withPorts(settings: RunSettings, changed: Partial<SettledPorts>): RunSettings {
  return { ...settings, ports: { ...settings.ports, ...changed } };
}
