import type { ComponentChildren } from 'preact';
import { Button } from '../ui/button.jsx';
import { Dialog } from '../ui/dialog.jsx';
import { ProblemNotice } from '../ui/problem-notice.jsx';
import type { PendingAction } from './use-action.js';

interface ActionFormProps {
  readonly title: string;
  /** Label of the submitting button. */
  readonly verb: string;
  readonly look?: 'primary' | 'danger';
  readonly pending: PendingAction;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog that asks something of a run: what it does, how, and two buttons. */
export function ActionForm(props: ActionFormProps) {
  const { title, verb, look = 'primary', pending, onSubmit, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
        {pending.failure && <ProblemNotice failure={pending.failure} />}
        <div class="dialog-foot">
          <Button onClick={onClose}>Back</Button>
          <Button type="submit" look={look} isBusy={pending.isBusy}>
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
