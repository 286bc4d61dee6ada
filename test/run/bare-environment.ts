import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs available to the bare tier: the requirements of README.md and coreutils. */
const PROGRAMS = ['node', 'npm', 'npx', 'git', 'sh', 'bash'];

const COREUTILS = (
  'arch b2sum base32 base64 basename basenc cat chcon chgrp chmod chown cksum comm cp csplit cut date dd df dir dircolors dirname ' +
  'du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls md5sum mkdir mkfifo mknod ' +
  'mktemp mv nice nl nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd readlink realpath rm rmdir runcon seq ' +
  'sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync tac tail tee test ' +
  'timeout touch tr true truncate tsort tty uname unexpand uniq unlink users vdir wc who whoami yes'
).split(' ');

/** Variables that npm and Node need to reach a registry through a proxy with its own CA. */
const FOR_NPM =
  /^(npm_config_(registry|userconfig|globalconfig|cafile|ca|proxy|https_proxy|noproxy|strict_ssl)|(https?|no|all)_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i;

/**
 * Fills a folder that is used as the complete PATH. `path`: where its programs are searched; folders of npm packages
 * are skipped, because npm puts the project's own Node first.
 */
export function fillPath(folder: string, path: string): void {
  mkdirSync(folder);
  const folders = path.split(delimiter).filter((each) => each !== '' && !each.includes('node_modules'));
  for (const name of [...PROGRAMS, ...COREUTILS]) {
    const program = folders.map((each) => join(each, name)).find((each) => existsSync(each));
    if (program !== undefined) symlinkSync(program, join(folder, name));
    else if (PROGRAMS.includes(name)) throw new Error(`${name} is not on the PATH, which the bare tier needs`);
  }
}

/** The variables of `environment` that `npm ci` needs. @param userConfig used if npm does not report its config file */
export function npmSettings(environment: NodeJS.ProcessEnv, userConfig: string): NodeJS.ProcessEnv {
  const settings = Object.entries(environment).filter(([name, value]) => FOR_NPM.test(name) && value !== '');
  return { npm_config_userconfig: userConfig, ...Object.fromEntries(settings) };
}
