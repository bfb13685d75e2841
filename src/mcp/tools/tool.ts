import type { z } from 'zod';
import { describeIssues } from '../../handlers/describe-issues.js';
import { UsageError } from '../../setup/usage-error.js';
import type { Workbench } from './workbench.js';

/** Ability that a coding agent calls by its name. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Words for a model that decides whether to call it. */
  readonly description: string;
  readonly input: z.ZodObject;
  readonly effects: ToolEffects;
  /** @throws UsageError for a call that cannot be carried out */
  call(given: unknown, workbench: Workbench, call: ToolCall): Promise<ToolAnswer>;
}

/**
 * Effects of a tool, by which a client decides whether to ask a person first.
 * - `none`: it only reads
 * - `files`: it may change a file that the call names
 * - `run`: it starts or changes a run
 */
export type ToolEffects = 'none' | 'files' | 'run';

/** What a call brings besides its arguments. */
export interface ToolCall {
  /** Aborted when the client gives the call up, or is gone. */
  readonly signal: AbortSignal;
  /** Tells the client how far a long call is. */
  readonly progress: (message: string) => void;
}

/** Answer of a tool as plain data. */
export interface ToolAnswer {
  /** Short text for a model. */
  readonly text: string;
  /** The same as JSON, for programs; some clients give their model this instead of the text, so that it says all of it. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Picture or document besides the text. */
  readonly attachment?: Attachment;
  /** Set if the tool could not do what it was asked for. */
  readonly failed?: true;
}

export type Attachment =
  | { readonly kind: 'image'; readonly type: string; readonly bytes: Uint8Array }
  | { readonly kind: 'document'; readonly type: string; readonly name: string; readonly text: string };

interface ToolDefinition<Input extends z.ZodObject> extends Omit<Tool, 'input' | 'call'> {
  readonly input: Input;
  call(args: z.infer<Input>, workbench: Workbench, call: ToolCall): Promise<ToolAnswer>;
}

/** Makes a tool, whose arguments are checked before each call. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  return {
    ...definition,
    async call(given, workbench, call) {
      const { success, data, error } = definition.input.safeParse(given);
      if (success) return definition.call(data, workbench, call);
      throw new UsageError(`${definition.name}: ${describeIssues(error, given)}`);
    },
  };
}
