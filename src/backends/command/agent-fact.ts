import type { JsonValue } from '../../graph/json.js';
import type { Usage } from '../../machine/usage.js';
import type { UsageTime } from '../agent-chooser.js';

/** Fact in a line of an agent's output, in a form common to all agents. */
export type AgentFact =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | { readonly kind: 'tool_started'; readonly id: string; readonly tool: string; readonly input: JsonValue }
  | {
      readonly kind: 'tool_ended';
      readonly id: string;
      readonly success: boolean;
      readonly output: string;
      /** Set if the start of the call was not reported before. */
      readonly tool?: string;
      readonly input?: JsonValue;
      /** Milliseconds, if the agent reports them. */
      readonly duration?: number;
    }
  /** Usage since the last of these facts. */
  | { readonly kind: 'usage'; readonly model: string; readonly usage: Usage }
  /** Usage of this turn as a whole, as counted by the agent; it includes the parts reported before. */
  | { readonly kind: 'turn_usage'; readonly model: string; readonly usage: Usage }
  /** Usage of the whole conversation, turns of earlier processes included. */
  | { readonly kind: 'session_usage'; readonly model: string; readonly usage: Usage }
  | { readonly kind: 'session'; readonly id: string }
  /** A problem that the agent may still overcome; `isWaiting` if it waits before it retries. */
  | ({ readonly kind: 'trouble'; readonly isWaiting?: true } & AgentProblem)
  | AgentEnding;

/** Last fact of an agent; without it, the turn has not finished. */
export type AgentEnding =
  | { readonly kind: 'finished'; readonly text: string; readonly isCutOff?: boolean }
  | ({ readonly kind: 'failed' } & AgentProblem);

export interface AgentProblem {
  readonly message: string;
  /** HTTP status, if the agent reports it. */
  readonly status?: number;
  /** Value of the header: seconds, or a date. */
  readonly retryAfter?: string;
}

/** Reads the output of one turn of an agent, line by line, without side effects. */
export interface OutputReader {
  /** @param isCut true if only the beginning of a far too long line is given */
  line(text: string, isCut: boolean): readonly AgentFact[];
  /**
   * Facts at the end of the output.
   * @param hasEndedWell true if the program succeeded
   */
  end(hasEndedWell: boolean): readonly AgentFact[];
}

/** Format of an agent's output. */
export interface OutputFormat {
  readonly name: string;
  readonly usageTime: UsageTime;
  readonly reader: () => OutputReader;
}
