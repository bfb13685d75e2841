import { defineRoute, type Route } from '../http/route.js';
import { begunRun } from '../http/run-of.js';
import { setContentPolicy } from '../security/security-headers.js';

/** The report of a run, as `attractor report` writes it. */
export const reportRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/pipelines/{id}/report',
    operation: 'getReport',
    tag: 'history',
    summary: 'Returns the report of a run: a single page that opens offline',
    answers: {
      200: {
        description: 'HTML, which a browser opens in an opaque origin.',
        content: { 'text/html': null },
      },
    },
    problems: ['not_found', 'conflict'],
    async handle({ context, param }, server) {
      const directory = begunRun(server, param('id'));
      const { renderReport } = await import('../../report/render-report.js');
      const report = await renderReport(directory, Date.now(), {}, server.layout);
      setContentPolicy(context, 'report');
      return context.body(report, 200, { 'content-type': 'text/html; charset=utf-8' });
    },
  }),
];
