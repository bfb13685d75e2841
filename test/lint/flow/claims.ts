import type { Diagnostic } from '../../../src/diagnostic/diagnostic.js';
import type { Facts } from './reference.js';

/** Claim of a flow rule about the runs of a pipeline, and whether it is true. */
export interface Claim {
  readonly rule: string;
  readonly message: string;
  readonly isTrue: boolean;
}

type Judge = (finding: Diagnostic, facts: Facts) => boolean | undefined;

/** Whether a claim is true, by rule; undefined for a finding that claims nothing about runs. */
const judges: Readonly<Record<string, Judge>> = {
  reachability: ({ nodeId = '' }, { entered }) => !entered.has(nodeId),
  exit_unreachable: ({ nodeId = 'exit', message }, { completing, branches }) =>
    !(/the end of its branch/.test(message) ? branches.ending : completing).has(nodeId),
  dead_edge: ({ edge: [from, to] = ['', ''] }, { departures }) =>
    !departures.some(({ edge }) => edge?.from === from && edge.to === to),
  condition_exhaustive: stuck,
  no_default_edge: stuck,
  condition_overlap: ({ edge: [from, to] = ['', ''], message }, { departures }) => {
    const taken = /from "\w+" to "(\w+)"/.exec(message)?.[1];
    const isShown = shown(message.replace(/^.*both hold when /, '').replace(/; then.*/, ''));
    return departures.some(
      ({ nodeId, edge, holding, status, k }) =>
        nodeId === from &&
        edge?.to === taken &&
        [taken, to].every((id) => holding.some((one) => one.to === id)) &&
        isShown(status, k),
    );
  },
  goal_gate_bypass: ({ nodeId = '', message }, { bypassed, isWay }) =>
    bypassed.has(nodeId) && isShownWay(message, isWay),
  unbounded_loop: ({ message, severity }, { goesRound }) => {
    if (severity === 'info') return undefined;
    const path = /the loop (.*) may run/.exec(message)?.[1] ?? '';
    return goesRound(quoted(path));
  },
  read_before_write: ({ edge, nodeId = edge?.[0] ?? '', message }, { entered, enteredWithout, isWay }) => {
    // Which other stages set the key as well, nobody knows, so that only the way to the read is a claim.
    return /on no path|is not set here/.test(message)
      ? entered.has(nodeId)
      : enteredWithout.has(nodeId) && isShownWay(message, isWay);
  },
  label_unreachable: ({ edge: [from, to] = ['', ''], message }, { departures }) => {
    const label = /the label "(\w+)"/.exec(message)?.[1];
    return !departures.some(
      (one) => one.isByLabel && one.label === label && one.edge?.from === from && one.edge.to === to,
    );
  },
  failure_stops_run: ({ nodeId = '' }, { departures }) =>
    departures.some(({ nodeId: id, end }) => id === nodeId && end === 'stage_failed'),
  branch_leads_back: ({ edge, nodeId, message }, { branches }) => {
    if (edge !== undefined) return !branches.kept.has(edge.join(' '));
    return !branches.jumps.has(`${nodeId} ${/ is "(\w+)", which/.exec(message)?.[1]}`);
  },
  branch_failure_ignored: ({ edge, message }, { branches }) => {
    const next = /continues with "(\w+)"/.exec(message)?.[1];
    const failing = /^if (.*) fails,/.exec(message)?.[1] ?? '';
    const causes = edge === undefined ? quoted(failing) : [edge.join(' ')];
    return causes.length > 0 && causes.every((cause) => branches.continued.has(`${cause}: ${next}`));
  },
};

/** A way in a message begins at the start, which the reference leaves out; a long one is not shown whole. */
function isShownWay(message: string, isWay: Facts['isWay']): boolean {
  const way = /"start"(?: -> "\w+")+/.exec(message)?.[0];
  if (way === undefined || message.includes('…')) return true;
  return isWay(quoted(way).slice(1));
}

function quoted(text: string): readonly string[] {
  return [...text.matchAll(/"(\w+)"/g)].map(([, id]) => id ?? '');
}

function stuck({ nodeId: id = '', message }: Diagnostic, { departures }: Facts): boolean {
  const when = /is taken when (.*)$/.exec(message)?.[1];
  const isShown = when === undefined ? () => true : shown(when);
  return departures.some(
    ({ nodeId, end, status, k }) => nodeId === id && end === 'no_route' && isShown(status, k),
  );
}

/** Reads the values that a message shows, which are those of the outcome and of the one key. */
function shown(when: string): (status: string, k: string | undefined) => boolean {
  const outcome = /outcome=(\w+)/.exec(when)?.[1];
  const not = /context\.k is neither "(\w+)" nor "(\w+)"/.exec(when)?.slice(1) ?? [];
  const notOne = /context\.k is not "(\w+)"/.exec(when)?.[1];
  const value = /context\.k="(\w+)"/.exec(when)?.[1];
  const isMissing = /context\.k is (?:missing|empty)/.test(when);
  return (status, k) =>
    (outcome === undefined || outcome === status) &&
    !not.includes(k ?? '') &&
    (notOne === undefined || notOne !== k) &&
    (value === undefined || value === k) &&
    (!isMissing || k === undefined);
}

/** Claims of lint about runs, each with the truth. */
export function claimsOf(findings: readonly Diagnostic[], facts: Facts): readonly Claim[] {
  return findings.flatMap((finding) => {
    const isTrue = judges[finding.rule]?.(finding, facts);
    return isTrue === undefined ? [] : [{ rule: finding.rule, message: finding.message, isTrue }];
  });
}
