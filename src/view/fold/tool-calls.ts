import type { ToolCallCompleted, ToolCallStarted } from '../../machine/event.js';
import { toolCallText } from '../tool-call-text.js';

/** Tool calls of a stage's model. */
export interface ToolCalls {
  /** Those under way, the latest last, by their ids; as people see them. */
  readonly open: readonly (readonly [id: string, text: string])[];
  /** The one that ended last. */
  readonly ended: string | undefined;
}

export const noCalls: ToolCalls = { open: [], ended: undefined };

export function withCall(calls: ToolCalls, { call_id, tool, input }: ToolCallStarted): ToolCalls {
  return { ...calls, open: [...calls.open, [call_id, toolCallText(tool, input)]] };
}

export function withoutCall({ open, ended }: ToolCalls, { call_id }: ToolCallCompleted): ToolCalls {
  const call = open.find(([id]) => id === call_id);
  return call === undefined ? { open, ended } : { open: open.filter((one) => one !== call), ended: call[1] };
}
