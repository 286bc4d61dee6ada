import { imageEntrypoint, imageEnvironment, imageUser, MOUNTS } from './container-image.ts';
import { ServerProcess } from './process.ts';

/** A process as in a container of the image. */
export interface ContainedOptions {
  /** Root file system, from `assembleImage`. */
  root: string;
  /** Arguments of the container. */
  args: readonly string[];
  /** Replaces the image's entrypoint. */
  command?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Folders on this machine to mount; `snapshots` is writable. */
  mounts: Readonly<Record<keyof typeof MOUNTS, string>>;
  log: string;
}

/** In a mount namespace of its own. Each program replaces the one before it, so that the process ID stays. */
const START = `set -e
root=$1 user=$2 account=$3 snapshots=$4; shift 4
mount --bind "$root" "$root"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$account" "$root${MOUNTS.serviceAccount}"
mount -o remount,bind,ro "$root${MOUNTS.serviceAccount}"
mount --bind "$snapshots" "$root${MOUNTS.snapshots}"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" "$@"`;

/**
 * A process with the root file system of the image, read-only, as the image's user, without capabilities: what the pods of
 * the chart and of the manager demand. Network and processes are this machine's. Needs root.
 */
export function containedProcess(options: ContainedOptions): ServerProcess {
  const { root, args, command = imageEntrypoint(), env, mounts, log } = options;
  const places = [root, imageUser(), mounts.serviceAccount, mounts.snapshots];
  return new ServerProcess({
    command: 'unshare',
    args: ['--mount', 'sh', '-c', START, 'sh', ...places, ...command, ...args],
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...imageEnvironment(), ...env },
    log,
  });
}
