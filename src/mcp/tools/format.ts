import { z } from 'zod';
import { SourceText } from '../../diagnostic/source.js';
import { format } from '../../format/format.js';
import { findingsData, findingsText, numberedFindings } from './findings.js';
import { pipelineKeys } from './pipeline-argument.js';
import { defineTool } from './tool.js';

/** Prints a pipeline in its canonical form. */
export const formatTool = defineTool({
  name: 'format',
  title: 'Format a pipeline',
  description:
    'Formats a pipeline canonically; comments stay. A file is changed in place; of a text the answer is the formatted text. A text with syntax errors stays as it is.',
  effects: 'files',
  input: z.strictObject(pipelineKeys),
  async call(args, workbench) {
    const { name, text: before, file } = await workbench.read(args);
    const { text, diagnostics } = format(before);
    if (text === undefined) {
      const source = new SourceText(name, before);
      const findings = numberedFindings(diagnostics.filter(({ severity }) => severity === 'error'));
      return {
        text: `${name} has syntax errors, so it was not formatted\n${findingsText(findings, source)}`,
        data: { changed: false, ...findingsData(findings, source) },
        failed: true,
      };
    }
    const changed = text !== before;
    if (file === undefined) return { text, data: { changed, text } };
    if (changed) workbench.write(file, text);
    return { text: `${name} ${changed ? 'was formatted' : 'is formatted already'}`, data: { changed } };
  },
});
