import type { Diagnostic } from '../../../diagnostic/diagnostic.js';
import { nearestName } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { conditionOf } from '../../../graph/queries.js';
import type { LiteralOperand } from '../../../parser/condition/ast.js';
import { clausesOf } from '../../../parser/condition/clauses-of.js';
import { type AskedInVain, askedInVain, toolsBefore } from '../../analysis/asked-in-vain.js';
import { attributeOwners } from '../../attribute-owners.js';
import { distinctAttributes } from '../../distinct-attributes.js';
import { findingsInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** §4.10: a condition expects of a tool what its command can print, and a code with which it can end. */
export const printedWord: LintRule = {
  name: 'printed_word',
  severity: 'warning',
  summary:
    'A condition asks for a word that the command of the tool can print, or for a code with which it can end.',
  rationale:
    'Where all that a command prints is written in it (`npm test > log && echo PASS || echo FAIL`), a condition that asks for another word never holds: `tool.last_line=PASSED`. Upper and lower case differ. The words of `jq -r \'if .ok then "PASS" else "FAIL" end\'` are known too, which prints them with quotes if `-r` is missing. So does one that asks for another code than the command ends with (`tool.exit_code=3` after `make || exit 2`), or for a failure where the command always ends with `exit 0`. The rule says nothing where programs or variables decide.',
  *apply(graph, { handlerTypes, source }) {
    const edges = attributeOwners(graph).edgesWith('condition');
    for (const { owner: edge, attribute } of distinctAttributes(edges, 'condition')) {
      const { condition } = conditionOf(edge);
      if (condition === undefined || !/tool\.|outcome/.test(attribute.value.toString())) continue;
      const tools = toolsBefore(graph, edge.from, handlerTypes);
      if (tools === undefined) continue;
      const remarks = clausesOf(condition).flatMap((clause) =>
        clause.kind === 'comparison' ? askedInVain(clause, tools).map(remarkOn) : [],
      );
      for (const finding of findingsInside(attribute, remarks, source)) {
        yield { ...finding, edge: [edge.from, edge.to] };
      }
    }
  },
};

function remarkOn(asked: AskedInVain): Diagnostic {
  switch (asked.kind) {
    case 'line':
      return lineRemark(asked.operand, asked.lines);
    case 'code':
      return codeRemark(asked.operand, asked.codes);
    case 'outcome':
      return outcomeRemark(asked.operand, asked.codes);
  }
}

function outcomeRemark({ value, span }: LiteralOperand, codes: ReadonlySet<number>): Diagnostic {
  const how = value === 'fail' ? 'never fails' : `always fails, with exit code ${spelled(codes)}`;
  // Such a command is often there until the real one is written.
  return { rule: 'printed_word', severity: 'info', message: `the command before ${how}`, span };
}

function codeRemark({ value, span }: LiteralOperand, codes: ReadonlySet<number>): Diagnostic {
  const message = `the command before never ends with exit code ${value}, only with ${spelled(codes)}`;
  return { rule: 'printed_word', severity: 'warning', message, span };
}

function spelled(codes: ReadonlySet<number>): string {
  return [...codes].sort((one, other) => one - other).join(' or ');
}

function lineRemark({ value, span }: LiteralOperand, lines: ReadonlySet<string>): Diagnostic {
  const nearest = nearestName(value, lines, 0.6);
  const hint = nearest === undefined ? '' : ` (did you mean ${excerpt(nearest)}?)`;
  const words = [...lines].map((line) => excerpt(line));
  const printed = words.length > 4 ? `${words.slice(0, 4).join(', ')} or others` : words.join(' or ');
  return {
    rule: 'printed_word',
    severity: 'warning',
    message: `the command before never prints ${excerpt(value)}, only ${printed}${hint}`,
    span,
  };
}
