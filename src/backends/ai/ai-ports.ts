import { realSleep, type Sleep } from '../idle-clock.js';
import { type Connections, patientConnections } from './model-fetch.js';

/** What requests to models need of the world; waits between them are those of the stage. */
export interface AiPorts extends Connections {
  /** Time of the clock for silence. */
  readonly sleep: Sleep;
  /** Uniform in [0, 1): spreads the pauses of stages that were refused together. */
  random(): number;
}

export function systemPorts(variables: Readonly<Record<string, string | undefined>>): AiPorts {
  return { ...patientConnections(variables), sleep: realSleep, random: () => Math.random() };
}
