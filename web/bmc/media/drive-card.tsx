import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Badge } from '../../common/badge.tsx';
import { Button } from '../../common/button.tsx';
import { Card, Facts } from '../../common/card.tsx';
import { Failure, Message } from '../../common/states.tsx';
import { useAction } from '../../common/use-action.ts';
import { usePower } from '../overview/use-power.tsx';
import { useBmc, useRefusal } from '../redfish/bmc-context.ts';
import type { Client } from '../redfish/client.ts';
import type { ComputerSystem, Task, VirtualMedia } from '../redfish/resources.ts';
import { MEDIA, SYSTEM, TASKS } from '../redfish/uris.ts';
import { InsertForm } from './insert-form.tsx';
import { TaskBadge, TaskProgress } from './task-progress.tsx';
import { isRunning } from './task-state.ts';

export function DriveCard({ drive, task }: DriveProps): JSX.Element {
  const { client, store } = useBmc();
  const refusal = useRefusal('media');
  // URI of the import after which the machine is to boot.
  const [awaited, setAwaited] = useState<string>();
  const isImporting = task !== undefined && isRunning(task);
  const hasImage = drive.Image !== null;

  const [eject, isEjecting] = useAction(
    useCallback(async () => {
      const { body } = await client.send<Extended | undefined>(
        'POST',
        `${drive['@odata.id']}/Actions/VirtualMedia.EjectMedia`,
        {},
      );
      void store.refresh(TASKS);
      await store.refresh(MEDIA);
      setAwaited(undefined);
      return resolutionOf(body) ?? 'The drive is empty.';
    }, [client, store, drive]),
  );
  const [boot] = useAction(
    useCallback(async () => {
      await bootNow(client);
      void store.refresh(SYSTEM);
      return 'The machine boots from the image.';
    }, [client, store]),
  );
  const state = task?.TaskState;
  const uri = task?.['@odata.id'];
  useEffect(() => {
    if (awaited === undefined || uri !== awaited || isImporting) return;
    setAwaited(undefined);
    if (state !== 'Exception') void boot();
  }, [awaited, uri, state, isImporting, boot]);

  return (
    <Card title={drive.Name} aside={<DriveBadge drive={drive} task={task} />}>
      {hasImage ? (
        <>
          <Inserted drive={drive} task={task} />
          {awaited !== undefined && (
            <Message>The machine boots from it when the import is complete. Keep this page open.</Message>
          )}
          <div class="buttons">
            <Button reason={refusal} isBusy={isEjecting} onClick={() => void eject()}>
              Eject
            </Button>
          </div>
        </>
      ) : (
        <InsertForm drive={drive} refusal={refusal} onBoot={setAwaited} />
      )}
    </Card>
  );
}

interface DriveProps {
  drive: VirtualMedia;
  /** The last insertion into the drive. */
  task: Task | undefined;
}

function DriveBadge({ drive, task }: DriveProps): JSX.Element {
  if (drive.Image === null) {
    return (
      <Badge tone="quiet" icon="disc">
        Empty
      </Badge>
    );
  }
  return task === undefined ? <Badge tone="good">Inserted</Badge> : <TaskBadge task={task} />;
}

function Inserted({ drive, task }: DriveProps): JSX.Element {
  const [condition] = drive.Status.Conditions ?? [];
  return (
    <>
      <Facts
        of={[
          ['Image', drive.ImageName],
          ['From', drive.Image],
          ['Guest', drive.ConnectedVia === 'NotConnected' ? 'does not see it yet' : 'has it'],
        ]}
      />
      {task !== undefined && isRunning(task) && (
        <>
          <TaskProgress task={task} />
          <p class="quiet small">{task.Messages?.[0]?.Message}</p>
        </>
      )}
      {task?.TaskState === 'Pending' && <PowerCycleNeeded />}
      {condition !== undefined && task?.TaskState !== 'Pending' && (
        <Failure trouble={{ message: sentence(condition.Message), resolution: condition.Resolution }} />
      )}
    </>
  );
}

/** The hypervisor cannot insert the image into a machine that runs. */
function PowerCycleNeeded(): JSX.Element {
  const power = usePower();
  const cycle = power.actions.find(({ type }) => type === 'PowerCycle');
  return (
    <Message tone="warn">
      <p>The image is ready. The guest gets it when the machine is powered off and on.</p>
      {cycle !== undefined && (
        <p>
          <Button
            isNarrow
            reason={power.refusal}
            isBusy={power.isBusy}
            onClick={() => {
              power.choose(cycle);
            }}
          >
            {cycle.label}
          </Button>
        </p>
      )}
      {power.question}
    </Message>
  );
}

function sentence(text = 'the guest does not have the image'): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Powers the machine on, or off and on. */
async function bootNow(client: Client): Promise<void> {
  const { PowerState } = await client.get<ComputerSystem>(SYSTEM);
  await client.send('POST', `${SYSTEM}/Actions/ComputerSystem.Reset`, {
    ResetType: PowerState === 'Off' ? 'On' : 'PowerCycle',
  });
}

interface Extended {
  readonly error?: { readonly '@Message.ExtendedInfo'?: readonly { readonly Resolution?: string }[] };
  readonly '@Message.ExtendedInfo'?: readonly { readonly Resolution?: string }[];
}

/** What a successful answer asks for: a guest that keeps its image must be power-cycled. */
function resolutionOf(body: Extended | undefined): string | undefined {
  return (body?.['@Message.ExtendedInfo'] ?? body?.error?.['@Message.ExtendedInfo'])?.[0]?.Resolution;
}
