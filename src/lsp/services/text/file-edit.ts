import type { TextEdit } from '../../../diagnostic/diagnostic.js';

/** Edit of a file. */
export interface FileEdit extends TextEdit {
  readonly uri: string;
}
