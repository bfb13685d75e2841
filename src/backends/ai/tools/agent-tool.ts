import { z } from 'zod';
import { describeIssues } from '../../../handlers/describe-issues.js';
import type { Redactor } from '../../../secrets/redactor.js';

/** A tool that a model can call (§4.5). */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input, which is an object. */
  readonly inputSchema: object;
  /** Set if it changes nothing, so that a call that was interrupted is simply made again (SEMANTICS 123). */
  readonly isReadOnly?: boolean | undefined;
  /** Reason why an input does not fit the schema, in words for the model; undefined if it does. */
  problemWith?(input: unknown): string | undefined;
  /**
   * @param input as the model wrote it, unchecked
   * @returns the result for the model
   * @throws ToolProblem for problems that the model can solve
   */
  run(input: unknown, context: ToolContext): Promise<string>;
}

/** Environment in which the tools of a stage work. */
export interface ToolContext {
  /** Real path of the working directory, which they do not leave. */
  readonly root: string;
  /** Real path of the run directory, whose files belong to the engine. */
  readonly runDirectory: string;
  readonly signal: AbortSignal;
  /** Applied to a text before only a part of it is shown. */
  readonly redactor: Redactor;
  /** Environment of commands. */
  environment(): Readonly<Record<string, string | undefined>>;
  /** Timeout of a command in milliseconds, if the model gives none. */
  readonly commandTimeout: number;
}

/** Problem of a call, in words for the model that made it. */
export class ToolProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolProblem';
  }
}

interface Definition<Schema extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly isReadOnly?: true;
  readonly run: (input: z.output<Schema>, context: ToolContext) => Promise<string> | string;
}

/** Makes a tool of ours, whose input is checked before it runs. */
export function agentTool<Schema extends z.ZodObject>(definition: Definition<Schema>): AgentTool {
  const { name, description, input: schema, isReadOnly } = definition;
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(schema),
    isReadOnly,
    problemWith(input) {
      const read = schema.safeParse(input);
      return read.success ? undefined : describeIssues(read.error, input);
    },
    async run(input, context) {
      const read = schema.safeParse(input);
      if (!read.success) throw new ToolProblem(describeIssues(read.error, input));
      return definition.run(read.data, context);
    },
  };
}

/** JSON Schema without the name of its dialect, which some servers reject. */
function jsonSchemaOf(schema: z.ZodObject): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}
