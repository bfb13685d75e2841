import type { MCPTransport } from '@ai-sdk/mcp';
import { AgentProcess } from '../acp/agent-process.js';
import type { GuardedProgram } from '../guarded-start.js';

type Message = Parameters<MCPTransport['send']>[0];

/** Maximum of characters of a message; no useful one is longer. */
const longestMessage = 64 * 1024 * 1024;
const wordsShown = 500;

/**
 * Program that serves the Model Context Protocol on its standard input and output. It is ended with
 * everything that it has started, by force if necessary.
 */
export class McpProgram implements MCPTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Message) => void;
  readonly #program: GuardedProgram;
  readonly #onEnd: () => void;
  #process: AgentProcess | undefined;
  #ending: string | undefined;
  #closing: Promise<void> | undefined;
  #unread = '';

  /** @param onEnd called when no process of it is left */
  constructor(program: GuardedProgram, onEnd: () => void) {
    this.#program = program;
    this.#onEnd = onEnd;
  }

  /** Description of its end, with the last of its standard error; undefined while it runs. */
  get ending(): string | undefined {
    return this.#ending;
  }

  async start(): Promise<void> {
    const server = new AgentProcess(this.#program);
    this.#process = server;
    server.output.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    const isOver = server.exit.then((exit) => {
      // Its descendants must end, too.
      void this.close().then(this.#onEnd);
      if (exit.kind === 'not_started') throw exit.error;
      const words = server.lastWords.trim().slice(-wordsShown);
      this.#ending = words === '' ? exit.how : `${exit.how}: ${words}`;
      this.onclose?.();
    });
    isOver.catch(() => undefined);
    // A missing program is reported at once.
    await Promise.race([isOver, new Promise((resolve) => setImmediate(resolve))]);
  }

  async send(message: Message): Promise<void> {
    const input = this.#process?.input;
    if (input === undefined || !input.writable)
      throw new Error(`it no longer reads its input (${this.#ending ?? 'its input is closed'})`);
    if (input.write(`${JSON.stringify(message)}\n`)) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        input.off('drain', go).off('close', go);
        resolve();
      };
      input.once('drain', go).once('close', go);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#process?.stop(false);
    return this.#closing ?? Promise.resolve();
  }

  #read(text: string): void {
    const lines = `${this.#unread}${text}`.split('\n');
    this.#unread = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') this.#hear(line);
    if (this.#unread.length <= longestMessage) return;
    this.#unread = '';
    this.onerror?.(new Error('it sent an endless message'));
    this.#process?.kill();
  }

  /** Passes on messages; other lines and late answers are ignored. */
  #hear(line: string): void {
    try {
      const message: unknown = JSON.parse(line);
      if (typeof message === 'object' && message !== null) this.onmessage?.(message as Message);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
