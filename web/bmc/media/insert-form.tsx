import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { CheckField, SelectField, TextField } from '../../common/field.tsx';
import { useNotices } from '../../common/use-notices.ts';
import { Failure } from '../../common/states.tsx';
import { useSubmit } from '../../common/use-submit.ts';
import { useBmc } from '../redfish/bmc-context.ts';
import type { Link, VirtualMedia } from '../redfish/resources.ts';
import { MEDIA, SYSTEM, TASKS } from '../redfish/uris.ts';
import { useBoot } from './boot-after.tsx';

type Boot = 'no' | 'next' | 'now';

interface InsertProps {
  drive: VirtualMedia;
  refusal: string | undefined;
}

export function InsertForm({ drive, refusal }: InsertProps): JSX.Element {
  const { client, store, boot: awaitedBoot } = useBmc();
  const notices = useNotices();
  const bootMachine = useBoot();
  const [image, setImage] = useState('');
  const [boot, setBoot] = useState<Boot>('no');
  const [hasLogin, setHasLogin] = useState(false);
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const isUsb = drive.MediaTypes.includes('USBStick');
  const { onSubmit, problem, isBusy } = useSubmit(async () => {
    try {
      const login = hasLogin ? { UserName: user, Password: password } : {};
      const { body } = await client.send<Link | undefined>(
        'POST',
        `${drive['@odata.id']}/Actions/VirtualMedia.InsertMedia`,
        { Image: image, ...login },
      );
      void store.refresh(TASKS);
      void store.refresh(MEDIA);
      if (boot !== 'no') {
        await client.send('PATCH', SYSTEM, {
          Boot: { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: isUsb ? 'Usb' : 'Cd' },
        });
      }
      if (boot === 'now') {
        // Without a Task the guest has the image already.
        if (body === undefined) {
          await bootMachine();
          return;
        }
        awaitedBoot.await(body['@odata.id']);
      }
      notices.done(
        boot === 'no' ? 'The BMC takes the image.' : 'The BMC takes the image, and the next boot is from it.',
      );
    } finally {
      for (const uri of [TASKS, MEDIA, SYSTEM]) void store.refresh(uri);
    }
  });
  return (
    <form class="form" onSubmit={onSubmit}>
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
      {problem !== undefined && (
        <Failure trouble={{ message: 'The BMC did not do it.', resolution: problem.resolution ?? problem.message }} />
      )}
      <div class="buttons">
        <Button type="submit" kind="primary" icon="disc" reason={refusal} isBusy={isBusy}>
          Insert
        </Button>
      </div>
    </form>
  );
}
