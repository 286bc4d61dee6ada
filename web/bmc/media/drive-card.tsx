import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Badge } from '../../common/badge.tsx';
import { Button } from '../../common/button.tsx';
import { Card, Facts } from '../../common/card.tsx';
import { CheckField, SelectField, TextField } from '../../common/field.tsx';
import { Failure, Message } from '../../common/states.tsx';
import { useAction } from '../../common/use-action.ts';
import { useBmc, useRefusal } from '../redfish/bmc-context.ts';
import type { Client } from '../redfish/client.ts';
import type { ComputerSystem, Task, VirtualMedia } from '../redfish/resources.ts';
import { MEDIA, SYSTEM, TASKS } from '../redfish/uris.ts';
import { isRunning } from './media.tsx';
import { TaskBadge, TaskProgress } from './task-progress.tsx';

type Boot = 'no' | 'next' | 'now';

export function DriveCard({ drive, task }: { drive: VirtualMedia; task: Task | undefined }): JSX.Element {
  const { client, store } = useBmc();
  const refusal = useRefusal('media');
  const [bootsWhenReady, setBootsWhenReady] = useState(false);
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
      setBootsWhenReady(false);
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
  useEffect(() => {
    if (!bootsWhenReady || state === undefined || state === 'Running') return;
    setBootsWhenReady(false);
    if (state !== 'Exception') void boot();
  }, [bootsWhenReady, state, boot]);

  const [condition] = drive.Status.Conditions ?? [];
  return (
    <Card
      title={drive.Name}
      aside={
        hasImage ? (
          task === undefined ? (
            <Badge tone="good">Inserted</Badge>
          ) : (
            <TaskBadge task={task} />
          )
        ) : (
          <Badge tone="quiet" icon="disc">
            Empty
          </Badge>
        )
      }
    >
      {hasImage && (
        <>
          <Facts
            of={[
              ['Image', drive.ImageName],
              ['From', drive.Image],
              ['Guest', drive.ConnectedVia === 'NotConnected' ? 'does not see it yet' : 'has it'],
            ]}
          />
          {isImporting && <TaskProgress task={task} />}
          {isImporting && task.Messages?.[0]?.Message !== undefined && (
            <p class="quiet small">{task.Messages[0].Message}</p>
          )}
          {bootsWhenReady && (
            <Message>The machine boots from it when the import is complete. Keep this page open.</Message>
          )}
          {condition !== undefined && (
            <Failure
              trouble={{
                message: condition.Message ?? 'The guest does not have the image.',
                resolution: condition.Resolution,
              }}
            />
          )}
          <div class="buttons">
            <Button reason={refusal} isBusy={isEjecting} onClick={() => void eject()}>
              Eject
            </Button>
          </div>
        </>
      )}
      {!hasImage && (
        <>
          {state === 'Exception' && task !== undefined && (
            <Failure
              trouble={{
                message: task.Messages?.[0]?.Message ?? 'The import failed.',
                resolution: task.Messages?.[0]?.Resolution,
              }}
            />
          )}
          <InsertForm
            drive={drive}
            refusal={refusal}
            onBoot={() => {
              setBootsWhenReady(true);
            }}
          />
        </>
      )}
    </Card>
  );
}

interface InsertProps {
  drive: VirtualMedia;
  refusal: string | undefined;
  /** The machine is to boot when the image is there. */
  onBoot: () => void;
}

function InsertForm({ drive, refusal, onBoot }: InsertProps): JSX.Element {
  const { client, store } = useBmc();
  const [image, setImage] = useState('');
  const [boot, setBoot] = useState<Boot>('no');
  const [hasLogin, setHasLogin] = useState(false);
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const isUsb = drive.MediaTypes.includes('USBStick');
  const [insert, isBusy] = useAction(
    useCallback(async () => {
      const login = hasLogin ? { UserName: user, Password: password } : {};
      await client.send('POST', `${drive['@odata.id']}/Actions/VirtualMedia.InsertMedia`, { Image: image, ...login });
      if (boot !== 'no') {
        const target = isUsb ? 'Usb' : 'Cd';
        await client.send('PATCH', SYSTEM, {
          Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: target },
        });
        if (boot === 'now') onBoot();
      }
      void store.refresh(TASKS);
      void store.refresh(SYSTEM);
      await store.refresh(MEDIA);
      return boot === 'no'
        ? 'The image is being imported.'
        : 'The image is being imported, and the next boot is from it.';
    }, [client, store, drive, image, boot, hasLogin, user, password, isUsb, onBoot]),
  );
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void insert();
      }}
    >
      <TextField
        label="URL of the image"
        type="url"
        value={image}
        onInput={setImage}
        placeholder={isUsb ? 'https://images.example.com/config.img' : 'https://images.example.com/installer.iso'}
        hint={isUsb ? 'A raw disk image; the guest sees it read-only.' : undefined}
        reason={refusal}
        isRequired
      />
      <SelectField
        label="Then"
        value={boot}
        options={[
          ['no', 'only insert it'],
          ['next', 'boot from it once, at the next boot'],
          ['now', 'boot from it once, as soon as it is there'],
        ]}
        hint={boot === 'now' ? 'A machine that runs is power-cycled: data that is not written is lost.' : undefined}
        onChange={(value) => {
          setBoot(value as Boot);
        }}
        reason={refusal}
      />
      <CheckField
        label="The image server needs a log-in"
        isChecked={hasLogin}
        onChange={setHasLogin}
        reason={refusal}
      />
      {hasLogin && (
        <div class="row">
          <TextField label="User name" value={user} onInput={setUser} />
          <TextField
            label="Password"
            type="password"
            value={password}
            onInput={setPassword}
            autocomplete="new-password"
          />
        </div>
      )}
      <div class="buttons">
        <Button type="submit" kind="primary" icon="disc" reason={refusal} isBusy={isBusy}>
          Insert
        </Button>
      </div>
    </form>
  );
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
