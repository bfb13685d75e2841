import { z } from 'zod';
import { describeIssues } from '../../../handlers/describe-issues.js';
import type { Redactor } from '../../../secrets/redactor.js';

/** A tool that a model can call (§4.5). */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input, which is an object. */
  readonly inputSchema: object;
  /**
   * @param input as the model wrote it; not checked yet
   * @returns what the model is told
   * @throws ToolProblem for what the model can mend
   */
  run(input: unknown, place: ToolContext): Promise<string>;
}

/** Where tools of a stage work, and with what. */
export interface ToolContext {
  /** The real path of the working directory, which they do not leave. */
  readonly root: string;
  /** The real path of the run directory: its files are the engine's. */
  readonly runDirectory: string;
  readonly signal: AbortSignal;
  /** For texts of which only a part is shown: before it is cut out. */
  readonly redactor: Redactor;
  /** Of commands. */
  environment(): Readonly<Record<string, string | undefined>>;
  /** How long a command may take where the model says nothing, in milliseconds. */
  readonly commandTimeout: number;
}

/** What is wrong with a call, in words for the model that made it. */
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
  readonly run: (input: z.output<Schema>, place: ToolContext) => Promise<string> | string;
}

/** A tool of ours: its input is checked before it runs. */
export function agentTool<Schema extends z.ZodObject>(definition: Definition<Schema>): AgentTool {
  const { name, description, input: schema } = definition;
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(schema),
    async run(input, place) {
      const read = schema.safeParse(input);
      if (!read.success) throw new ToolProblem(describeIssues(read.error, input));
      return definition.run(read.data, place);
    },
  };
}

/** Without the name of its dialect, which not every server takes. */
function jsonSchemaOf(schema: z.ZodObject): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}
