import { useState } from 'preact/hooks';
import './actions.css';
import type { RunAction } from '../../server/api/run.js';
import { Button } from '../ui/button.jsx';
import type { IconName } from '../ui/icon.jsx';
import type { ActionDialogProps } from './action-dialog-props.js';
import { CancelDialog } from './cancel-dialog.jsx';
import { ForkDialog } from './fork-dialog.jsx';
import { PauseDialog } from './pause-dialog.jsx';
import { ResumeDialog } from './resume-dialog.jsx';

interface RunActionsProps extends Omit<ActionDialogProps, 'onClose'> {
  /** Actions that the server allows for the run now. */
  readonly actions: readonly RunAction[];
  /** Request to the run, until it is fulfilled. */
  readonly requested: 'pause' | 'cancel' | null;
}

/** Buttons for what can be done with a run, each with a dialog that says what it does (§9.5). */
export function RunActions({ run, actions, requested, onDone }: RunActionsProps) {
  const [open, setOpen] = useState<RunAction>();
  const close = (): void => setOpen(undefined);
  return (
    <div class="row">
      {requested !== null && (
        <span class="badge" data-state="waiting" role="status">
          {requested === 'pause' ? 'pauses soon' : 'is being cancelled'}
        </span>
      )}
      {inOrder
        .filter((action) => actions.includes(action) && action !== requested)
        .map((action) => (
          <Button
            key={action}
            icon={buttons[action].icon}
            aria-haspopup="dialog"
            onClick={() => setOpen(action)}
          >
            {buttons[action].text}
          </Button>
        ))}
      {open && <ActionDialog action={open} run={run} onClose={close} onDone={onDone} />}
    </div>
  );
}

function ActionDialog({ action, ...rest }: ActionDialogProps & { readonly action: RunAction }) {
  switch (action) {
    case 'pause':
      return <PauseDialog {...rest} />;
    case 'cancel':
      return <CancelDialog {...rest} />;
    case 'resume':
      return <ResumeDialog {...rest} />;
    case 'fork':
      return <ForkDialog {...rest} />;
  }
}

const inOrder: readonly RunAction[] = ['pause', 'resume', 'fork', 'cancel'];

const buttons = {
  pause: { text: 'Pause', icon: 'paused' },
  resume: { text: 'Resume', icon: 'play' },
  fork: { text: 'Fork', icon: 'fork' },
  cancel: { text: 'Cancel', icon: 'cancel' },
} as const satisfies Record<RunAction, { readonly text: string; readonly icon: IconName }>;
