import type { RunOverlay } from '../../render/run-overlay.js';
import type { RunDetail } from '../../server/api/run.js';
import { isAtRest } from '../ui/run-badge.jsx';
import { type Tab, Tabs } from '../ui/tabs.jsx';
import type { PictureNode } from './graph/pipeline-picture.js';
import type { LiveRun } from './model/live-run.js';
import { ArtifactsTab } from './tabs/artifacts-tab.jsx';
import { ContextTab } from './tabs/context-tab.jsx';
import { CostTab } from './tabs/cost-tab.jsx';
import { EventsTab } from './tabs/events-tab.jsx';
import { StagesTab } from './tabs/stages-tab.jsx';
import { TimelineTab } from './tabs/timeline-tab.jsx';

const runTabs = ['timeline', 'stages', 'events', 'context', 'cost', 'artifacts'] as const;
export type RunTab = (typeof runTabs)[number];

export function isRunTab(text: string): text is RunTab {
  return (runTabs as readonly string[]).includes(text);
}

interface RunTabsProps {
  readonly run: RunDetail;
  readonly live: LiveRun;
  readonly nodes: readonly PictureNode[];
  readonly overlay: Omit<RunOverlay, 'caption'>;
  readonly selected: RunTab;
  readonly onSelect: (tab: RunTab) => void;
  readonly onOpen: (nodeId: string, visit?: number) => void;
  readonly hrefOf: (nodeId: string) => string;
}

/** Tabs with different views of a run. */
export function RunTabs(props: RunTabsProps) {
  const { nodes, selected, onSelect } = props;
  const live = props.live.now();
  const tabs: readonly Tab<RunTab>[] = [
    { id: 'timeline', title: 'Timeline' },
    { id: 'stages', title: 'Stages', count: nodes.length },
    { id: 'events', title: 'Events', count: live.events.length },
    { id: 'context', title: 'Context' },
    { id: 'cost', title: 'Cost' },
    { id: 'artifacts', title: 'Artifacts' },
  ];
  return (
    <div class="panel run-tabs">
      <Tabs label="What happened in the run" tabs={tabs} selected={selected} onSelect={onSelect}>
        <SelectedTab {...props} />
      </Tabs>
    </div>
  );
}

function SelectedTab({ run, live, nodes, overlay, selected, onOpen, hrefOf }: RunTabsProps) {
  switch (selected) {
    case 'timeline':
      return <TimelineTab live={live} isLive={!isAtRest(run.status)} onOpen={onOpen} />;
    case 'stages':
      return <StagesTab nodes={nodes} overlay={overlay} hrefOf={hrefOf} />;
    case 'events':
      return <EventsTab live={live} />;
    case 'context':
      return <ContextTab runId={run.id} version={live.now().settled} />;
    case 'cost':
      return <CostTab live={live} onOpen={onOpen} />;
    case 'artifacts':
      return <ArtifactsTab runId={run.id} version={live.now().settled} />;
  }
}
