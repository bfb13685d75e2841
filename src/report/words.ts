import { describeUsd, grouped, tokensOf, type Usage } from '../machine/usage.js';
import type { VisitRecord } from '../view/fold/visit-record.js';
import { formatDuration } from '../view/format-duration.js';
import { type Html, html } from './html.js';

/** A point in time for people, in UTC: a report is read anywhere. */
export function timeText(iso: string): Html {
  const readable = iso.replace('T', ' ').replace(/\.[0-9]+Z$|Z$/, ' UTC');
  return html`<time datetime="${iso}">${readable}</time>`;
}

/** Duration between two times; empty if it has not ended. */
export function elapsedText(from: string, to: string | null): string {
  return to === null ? '' : formatDuration(Math.max(0, Date.parse(to) - Date.parse(from)));
}

/** Duration of a visit; empty if it has not ended. */
export function visitDurationText({ startedAt, endedAt }: VisitRecord): string {
  return endedAt === undefined ? '' : formatDuration(Math.max(0, endedAt - startedAt));
}

/** Usage of models: tokens, and the cost if known; empty if no model was asked. */
export function usageText(usage: Usage | undefined): string {
  if (usage === undefined || usage.requests === 0) return '';
  const tokens = `${grouped(tokensOf(usage))} tokens`;
  return usage.cost_usd === undefined ? tokens : `${describeUsd(usage.cost_usd)}, ${tokens}`;
}

/** Status in words. */
export function statusText(status: string): string {
  return status === 'branches' ? 'runs its branches' : status.replaceAll('_', ' ');
}

/** The colour in which a status is shown. */
export function colourOf(status: string): 'done' | 'failed' | 'running' | 'waiting' | 'skipped' {
  switch (status) {
    case 'success':
    case 'partial_success':
      return 'done';
    case 'fail':
    case 'damaged':
      return 'failed';
    case 'running':
    case 'branches':
      return 'running';
    case 'skipped':
    case 'cut_off':
    case 'cancelled':
      return 'skipped';
    default:
      return 'waiting';
  }
}

/** A status as a badge. */
export function badge(status: string): Html {
  return html`<span class="badge ${colourOf(status)}">${statusText(status)}</span>`;
}
