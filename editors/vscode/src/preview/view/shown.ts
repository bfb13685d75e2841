import { type Compilation, compile } from '../../../../../src/compiler/compile.js';
import type { CompiledText } from '../../../../../src/web/playground/use-compilation.js';
import type { Picture } from '../../../../../src/web/playground/use-picture.js';
import type { PreviewSide, ToPreview } from '../messages.js';

/** Content of the preview. */
export interface Shown {
  /** Latest text; undefined before the first one. */
  readonly compiled: CompiledText | undefined;
  /** The last one that could be drawn; it stays while the text is broken. */
  readonly picture: Picture | undefined;
  /** Reason why the latest text has no picture. */
  readonly failure: string | undefined;
  /** Offset of the cursor in the text. */
  readonly cursor: number | undefined;
  /** Reason why the file is not shown. */
  readonly refused: string | undefined;
  readonly side: PreviewSide;
  readonly theme: 'light' | 'dark';
}

export const nothingShown: Shown = {
  compiled: undefined,
  picture: undefined,
  failure: undefined,
  cursor: undefined,
  refused: undefined,
  side: 'picture',
  theme: 'light',
};

/** Content after a message of the extension. A drawing stays until another one has come. */
export function received(shown: Shown, message: ToPreview): Shown {
  switch (message.kind) {
    case 'text': {
      const { text, name } = message;
      if (shown.compiled?.text === text && shown.refused === undefined) return shown;
      return { ...shown, compiled: { text, compilation: compile(text, { name }) }, refused: undefined };
    }
    case 'refused':
      return { ...nothingShown, side: shown.side, theme: shown.theme, refused: message.reason };
    case 'drawn': {
      const { text, svg } = message;
      const graph = graphOf(shown, text);
      return graph === undefined ? shown : { ...shown, picture: { text, svg, graph }, failure: undefined };
    }
    case 'not_drawn':
      return shown.compiled?.text === message.text ? { ...shown, failure: message.reason } : shown;
    case 'cursor':
      return { ...shown, cursor: message.offset };
    case 'side':
      return { ...shown, side: message.side };
    case 'theme':
      return { ...shown, theme: message.theme };
  }
}

/** Graph of a drawing, which may be that of an earlier text: then it comes too late. */
function graphOf({ compiled }: Shown, text: string): Compilation['graph'] | undefined {
  return compiled?.text === text ? compiled.compilation.graph : undefined;
}
