import { Terminal } from '@xterm/headless';

/** Terminal as a person sees it. */
export interface VirtualTerminal {
  /** What a program writes to. */
  readonly stream: {
    readonly isTTY: true;
    readonly columns: number;
    readonly rows: number;
    write(text: string | Uint8Array): void;
  };
  /** The visible lines, without blanks at their ends, and without empty lines at the end. */
  screen(): Promise<readonly string[]>;
  /** The same with what was scrolled out of sight. */
  history(): Promise<readonly string[]>;
  isCursorHidden(): boolean;
  resize(columns: number, rows?: number): Promise<void>;
}

export function virtualTerminal(columns: number, rows = 24): VirtualTerminal {
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  let written = '';
  const settled = () => new Promise<void>((resolve) => terminal.write('', resolve));
  const linesFrom = (first: number): readonly string[] => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: active.length - first }, (_, index) =>
      (active.getLine(first + index)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  };
  return {
    stream: {
      isTTY: true,
      get columns() {
        return terminal.cols;
      },
      get rows() {
        return terminal.rows;
      },
      write(text) {
        written += text.toString();
        terminal.write(text);
      },
    },
    async screen() {
      await settled();
      return linesFrom(terminal.buffer.active.baseY);
    },
    async history() {
      await settled();
      return linesFrom(0);
    },
    isCursorHidden: () => written.lastIndexOf('\u001b[?25l') > written.lastIndexOf('\u001b[?25h'),
    async resize(width, height = terminal.rows) {
      await settled();
      terminal.resize(width, height);
    },
  };
}
