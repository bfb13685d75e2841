import type { ChosenExtensions } from '../../plugins/load-extensions.js';
import type { Keys } from '../keys.js';

/** Something that pipelines may need of this machine, as `attractor doctor` found it. */
export interface Fact {
  readonly name: string;
  /** `missing` is something that only some pipelines need; a `problem` keeps most runs from working. */
  readonly state: 'ok' | 'missing' | 'problem';
  /** What was found, in a few words. */
  readonly found: string;
  /** Remedy of a problem. */
  readonly help?: string | undefined;
}

/** Machine, configuration and keys that facts are about. */
export interface MachineEnvironment {
  readonly directory: string;
  readonly extensions: ChosenExtensions;
  /** Configuration files that are read, that of the user before that of the project. */
  readonly configurations: readonly string[];
  readonly keys: Keys;
  /** Environment of the process, without the keys of the key file. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Facts of one kind: a row of the list in `facts/index.ts`. */
export interface FactFinder {
  readonly group: 'machine' | 'providers' | 'agents';
  find(machine: MachineEnvironment): Promise<readonly Fact[]>;
}
