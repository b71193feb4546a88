// Runs a client and keeps what it costs: processor time and memory of its whole process tree, and what the rest of the
// machine did meanwhile. Reads /proc, so Linux only.

import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** USER_HZ: the kernel's unit in /proc is the hundredth of a second on every Linux that Node runs on. */
const TICK_S = 0.01;
const SAMPLE_MS = 50;
const CLIENT_NICE = -15;
/** Looking for new processes means reading all of /proc, so it is done less often. */
const SAMPLES_PER_SCAN = 10;

/**
 * Runs `argv` in a session of its own until it ends or `timeoutS` is over (then the session is killed).
 * @returns exit code (null: killed), when it was started (ms of the wall clock) and the samples, the last one taken
 *   just before it ended: wall-clock ms, CPU seconds of the tree, CPU seconds of the whole machine, resident bytes.
 */
export async function runMeasured({ argv, env, cwd, timeoutS, logPath }) {
  const log = openSync(logPath, 'w');
  const startedWallMs = Date.now();
  const child = spawn(argv[0], argv.slice(1), {
    cwd,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  preferOverOthers(child.pid);
  let exit;
  child.once('error', (error) => {
    exit = { code: -1, error: error.message };
  });
  child.once('exit', (code) => {
    exit ??= { code };
  });
  const samples = [];
  let members = [child.pid];
  for (let i = 1; exit === undefined; i++) {
    if (Date.now() - startedWallMs > timeoutS * 1000) killSession(child.pid);
    if (child.pid !== undefined) {
      if (i % SAMPLES_PER_SCAN === 0) members = sessionMembers(child.pid);
      const sample = takeSample(members);
      if (sample.treeCpuS > 0) samples.push(sample);
    }
    await sleep(SAMPLE_MS);
  }
  return { code: exit.code, startedWallMs, endedWallMs: Date.now(), samples, peakBytes: peakBytes(samples) };
}

/** CPU seconds of the tree and of the machine between two moments, by linear interpolation between samples. */
export function cpuBetween(samples, fromWallMs, toWallMs) {
  return {
    treeS: at(samples, toWallMs, 'treeCpuS') - at(samples, fromWallMs, 'treeCpuS'),
    machineS: at(samples, toWallMs, 'machineCpuS') - at(samples, fromWallMs, 'machineCpuS'),
  };
}

function at(samples, wallMs, key) {
  const next = samples.findIndex((sample) => sample.wallMs >= wallMs);
  if (next === -1) return samples.at(-1)?.[key] ?? 0;
  if (next === 0) return samples[0][key];
  const [a, b] = [samples[next - 1], samples[next]];
  return a[key] + ((b[key] - a[key]) * (wallMs - a.wallMs)) / (b.wallMs - a.wallMs);
}

function takeSample(members) {
  let ticks = 0;
  let residentBytes = 0;
  for (const pid of members) {
    const fields = statFields(pid);
    if (fields === null) continue;
    // utime, stime, and those of children that have ended.
    for (const field of fields.slice(11, 15)) ticks += Number(field);
    residentBytes += highWaterBytes(pid);
  }
  return { wallMs: Date.now(), treeCpuS: ticks * TICK_S, machineCpuS: machineCpuS(), residentBytes };
}

/** All processes of the session: also those whose parent has ended. */
function sessionMembers(sid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(statFields(name)?.[3]) === sid)
    .map(Number);
}

/** The fields after the command's name, which may hold spaces: state, ppid, pgrp, session, … Null when it is gone. */
function statFields(pid) {
  const text = readOrNull(`/proc/${pid}/stat`);
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function highWaterBytes(pid) {
  const match = /^VmHWM:\s+(\d+) kB/m.exec(readOrNull(`/proc/${pid}/status`) ?? '');
  return match === null ? 0 : Number(match[1]) * 1024;
}

/** Busy time of all cores: user, nice, system, irq, softirq. */
function machineCpuS() {
  const fields = (readOrNull('/proc/stat') ?? 'cpu').split('\n')[0].trim().split(/\s+/).slice(1).map(Number);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = fields;
  return (user + nice + system + irq + softirq) * TICK_S;
}

function peakBytes(samples) {
  return samples.reduce((peak, sample) => Math.max(peak, sample.residentBytes), 0);
}

/** Ahead of whatever else runs on the machine, if the system allows it: what is measured is the client, not the company. */
function preferOverOthers(pid) {
  try {
    if (pid === undefined) return;
    setPriority(pid, CLIENT_NICE);
    // A session of its own is an autogroup of its own, and between groups only the group's value counts.
    writeFileSync(`/proc/${pid}/autogroup`, String(CLIENT_NICE));
  } catch {
    // Without the right to, the report's column of other work tells how quiet it was.
  }
}

function killSession(sid) {
  for (const pid of sessionMembers(sid)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

function readOrNull(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
