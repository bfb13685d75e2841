import type { Route } from '../http/route.js';
import { aliasRoutes } from './aliases.js';
import { eventRoutes } from './events.js';
import { graphRoutes } from './graph.js';
import { historyRoutes } from './history.js';
import { languageRoutes } from './language.js';
import { pageRoutes } from './page.js';
import { questionRoutes } from './questions.js';
import { reportRoutes } from './report.js';
import { runRoutes } from './runs.js';
import { serverRoutes } from './server.js';
import { steeringRoutes } from './steering.js';

/** Every operation of the server, in the order of its description. */
export const routes: readonly Route[] = [
  ...runRoutes,
  ...eventRoutes,
  ...steeringRoutes,
  ...questionRoutes,
  ...graphRoutes,
  ...historyRoutes,
  ...reportRoutes,
  ...languageRoutes,
  ...serverRoutes(() => routes),
  ...pageRoutes,
  ...aliasRoutes,
];
