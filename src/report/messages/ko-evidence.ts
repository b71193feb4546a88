import type { ChangeUnit } from '../../core/compare/comparison.js';
import type { RunFile } from '../../core/measure/run-file.js';
import type { AllEvidence, EvidenceTexts } from '../describe-evidence.js';

/** What was seen, in Korean. Names of files, fields, settings and workers stay, and so do messages of servers. */
export const KO_EVIDENCE: EvidenceTexts<AllEvidence> = {
  'workers-changed': ({ joined, left }) =>
    [
      ...(joined === null ? [] : [`워커 ${joined.count}개가 늦게 들어옴(${joined.at}에서 처음 보임)`]),
      ...(left === null ? [] : [`워커 ${left.count}개가 빠짐(${left.after}에서 마지막으로 보임)`]),
    ].join(', '),
  unsent: (of) => `요청 ${of.requests}건 중 ${of.unsent}건을 보내지 못함`,
  'none-ok': (of) => `요청 ${of.requests}건 중 성공 0건, 첫 오류: ${of.error ?? '없음'}`,
  'records-missing': (of) => `요청 ${of.requests}건 중 기록이 있는 것은 ${of.records}건`,
  'too-few-requests': (of) => `요청 ${of.requests}건으로는 동시 ${of.concurrency}건을 유지할 수 없음`,
  'tails-cached': (of) =>
    `요청 ${of.requests}건이 프리픽스보다 많이 캐시되어 있었음(최대 ${of.most}토큰, 프리픽스 ${of.prefixTokens}토큰)`,
  'primers-hit': (of) =>
    `프리픽스 ${of.prefixes}개 중 ${of.hit}개의 준비 요청이 적중함(캐시 토큰 ${of.tokens}개)`,
  'first-requests-hit': (of) =>
    `프리픽스 ${of.prefixes}개 중 ${of.hit}개의 첫 요청이 적중함(프리픽스 ${of.prefix}: 캐시 토큰 ${of.tokens}개)`,
  failed: (of) =>
    `${of.requests}건 중 ${of.failed}건 실패: ${of.outcomes.map(([outcome, count]) => `${outcome} ${count}건`).join(', ')}`,
  'cached-tokens-carried': (of) =>
    `응답 ${of.answers}건 중 cached_tokens를 담은 것은 ${of.reported}건${of.lacksZero ? ', 그중 0은 없음' : ''}`,
  'counts-impossible': (of) =>
    `응답 ${of.answers}건 중 ${of.records}건의 수치가 옳을 수 없음(프롬프트 ${of.prompt}토큰 중 최대 ${of.cached}토큰 캐시, 프리픽스 ${of.prefixTokens}토큰)`,
  'whole-prompts-cached': (of) =>
    `응답 ${of.answers}건 중 ${of.whole}건이 ${of.fewest}토큰 남짓을 빼고 프롬프트 전체가 캐시되었다고 보고함, 프리픽스 ${of.prefixes}개 중 ${of.firsts}개의 첫 요청도 그러함`,
  'repeats-missed': (of) =>
    `요청 ${of.requests}건 중 적중이 없음, 그중 ${of.repeats}건은 ${of.sameWorker ? '같은 워커가 ' : ''}그 프리픽스에 답한 뒤에 옴(프리픽스마다 ${of.perPrefix}건, 프리픽스 ${of.prefixTokens}토큰, 블록 ${of.blockSize}토큰)`,
  'prompts-without-cached': (of) =>
    `보낸 단어 ${of.planned}개에 prompt_tokens는 ${of.least}에서 ${of.most}까지이고, cached_tokens를 더하면 같음`,
  'prompts-short': (of) =>
    `보낸 단어 ${of.planned}개에 prompt_tokens는 ${of.least}에서 ${of.most}까지: 응답 ${of.answers}건 중 ${of.short}건이 모자람${of.zero === 0 ? '' : `, 0인 것은 ${of.zero}건`}`,
  'prompt-tokens': (of) => `prompt_tokens가 ${of.least}에서 ${of.most}까지`,
  'other-lengths': (of) =>
    `응답 ${of.answers}건 중 ${of.other}건의 길이가 ${of.asked}토큰이 아님(${of.least}-${of.most})`,
  'tokens-gathered': (of) =>
    `응답 ${of.answers}건 중 ${of.gathered}건이 뭉쳐서 도착함: 중앙값으로 읽기당 ${of.perRead}토큰, 응답당 읽기 ${of.reads}회${of.gapMs === null ? '' : `, 간격 ${of.gapMs} ms`}, 첫 읽기에 ${of.firstRead}토큰`,
  drained: (of) =>
    `보낼 요청이 없어진 뒤 전체 시간의 ${of.share}(${of.durationS} s 중 ${of.drainS} s)는 동시 ${of.slots}건에 못 미침, 처리량은 그때까지 ${of.until} req/s, 전체로는 ${of.whole}`,
  'held-after-last': (of) =>
    `요청이 마지막 토큰보다 평균 ${of.meanMs} ms 늦게 끝남(중앙값 ${of.p50Ms} ms, E2E ${of.e2eMs} ms): 슬롯이 시간의 ${of.share} 동안 다음 요청을 받지 못함`,
  'whole-in-one-read': (of) => `토큰이 여럿인 응답 ${of.answers}건 중 ${of.whole}건이 한 번의 읽기로 도착함`,
  'first-tokens-held': (of) =>
    `첫 토큰 ${of.answers}건 중 ${of.held}건이 응답 헤더보다 ${of.from}-${of.until} ms 늦게 왔고, ${of.together}-${of.from} ms 뒤에 온 것은 ${of.sooner}건`,
  'client-limit': (of) => {
    const clauses = [
      ...of.lost.map(
        ({ measure, boundMs, valueMs }) =>
          `${LATE[measure]} ${valueMs} ms는 최대 ${boundMs} ms만큼 길게 재어졌을 수 있음`,
      ),
      ...(of.leftLateMs === null ? [] : [`요청이 예정보다 p99에서 ${of.leftLateMs} ms 늦게 나감`]),
      ...(of.inFlight === null
        ? []
        : [`동시 요청은 ${of.inFlight.asked}건이어야 하나 평균 ${of.inFlight.mean}건`]),
    ];
    return `${clauses.join(', ')}(CPU 코어의 ${of.cpuShare}, 스레드 ${of.threads}개)`;
  },
  'servers-cached': (of) =>
    `${of.by === 'engine' ? '엔진이' : '라우터가'} 센 캐시 토큰은 ${of.servers}, 응답에 적힌 것은 ${of.answers}`,
  'servers-requests': (of) =>
    `${of.by === 'engine' ? '엔진이' : '라우터가'} 센 요청은 ${of.servers}건, 보낸 요청은 ${of.sent}건`,
  restarted: (of) => `카운터가 거꾸로 감: ${of.servers.join(', ')}`,
  preempted: (of) => `선점 ${of.preemptions}회`,
  'block-size-told': (of) => `--block-size는 ${of.stated}, 서버가 알린 값은 ${of.told}`,
  'trials-kept': (of) => `시행 ${of.repeats}회 중 ${of.kept}회 채택, ${of.dropped}회 버림`,
  'said-by-grid': () => 'grid.csv에 적혀 있음',

  'grid-without': (of) => `${of.file} 없음: grid.csv만 읽음`,
  'columns-missing': (of) => `열 ${of.columns.join(', ')} 없음: 비교하지 않음`,
  'no-requests-file': () => 'requests.jsonl 없음: 첫 요청 전에 실행이 종료됨',
  'records-unended': (of) => `requests.jsonl: 끝나지 않은 시행의 기록 ${of.records}건을 제외함`,
  'last-line-cut': (of) => `requests.jsonl: 마지막 줄(${of.line})이 잘려 있어 기록 1건을 제외함`,
  'lines-broken': (of) => `requests.jsonl: 기록이 아닌 줄 ${of.lines}개를 제외함(첫째는 ${of.first}번째 줄)`,

  differing: (of) =>
    of.differences
      .map(
        ({ what, sent, first, second }) =>
          `${sent ? '보낸 ' : ''}${what}: ${first ?? '없음'} 대 ${second ?? '없음'}`,
      )
      .join('; '),
  'hashes-differ': (of) => `모든 프롬프트에 대한 해시가 다름(${of.first} 대 ${of.second})`,
  'other-salt': () => '워크로드 해시는 같고 솔트가 다름',
  'conditions-changed': (of) =>
    `기록된 조건 ${of.changed.length}개가 바뀜: ${of.changed.map(({ key, before, after }) => `${key}: ${before ?? '적지 않음'} 대 ${after ?? '적지 않음'}`).join('; ')}`,
  'same-run': () => '둘이 같은 실행임',
  'no-common-cell': () => '둘 다 측정한 셀이 없음',
  'lone-cells': (of) => `한쪽만 측정한 셀 ${of.cells}개`,
  'answer-lengths': (of) => `응답 길이가 평균 ${of.first}토큰 대 ${of.second}토큰`,
  'ok-in-one': (of) =>
    `요청 ${of.requests}건 중 ${of.differ}건이 한 실행에서만 성공함(실패: ${of.failed.join('건 대 ')}건)`,
  'other-repeats': () => '둘이 채택한 반복이 서로 다름',
  'single-trials': () => '셀마다 시행이 하나뿐임',
  'no-requests': () => 'grid.csv에는 요청이 없음',
  'cells-unmeasured': (of) =>
    `실행 상태 ${STATUSES[of.status]}, 셀 ${of.cells}개 중 ${of.unmeasured}개를 측정하지 못함`,
  'few-ok': () => '성공한 요청이 100건 미만인 시행이 있음',

  'zero-but-router-hits': (of) =>
    `응답 ${of.answers}건 모두 cached_tokens가 0이나, 라우터의 kv_hit_rate는 ${of.rate}`,
  'zero-and-split': (of) =>
    `응답 ${of.answers}건 모두 cached_tokens가 0이고, 그중 ${of.split}건은 프리필 워커와 디코드 워커가 다름`,
  'short-prefix': (of) => `프리픽스 ${of.prefixTokens}토큰, 블록 ${of.blockSize}토큰`,
  'none-hit': (of) => `프리픽스마다 ${of.perPrefix}번씩 보냈는데도 요청 ${of.requests}건 중 적중한 것이 없음`,
  'workers-unnamed': () => '어느 응답도 워커를 밝히지 않음',
  'one-worker': (of) => `워커 하나가 모두 처리함(${of.worker})`,
  'one-of-several': (of) =>
    `${of.candidate}: 모든 요청을 워커 하나(${of.worker})로 보냄, ${of.baseline}에서는 워커 ${of.workers}개`,
  'dealt-in-turn': (of) =>
    `${of.candidate}: 요청을 차례로 돌림, 프리픽스마다 워커 ${of.workers}개 중 ${of.spread}개(우연이라면 ${of.byChance}개)`,
  'placed-as-by-chance': (of) =>
    `${of.candidate}: 우연처럼 배치함, 프리픽스마다 워커 ${of.workers}개 중 ${of.spread}개(우연이라면 ${of.byChance}개)`,
  'ratio-at-ceiling': (of) => `${of.baseline}: 상한 ${of.ceiling} 중 이미 ${of.ratio}`,
  'nothing-evicted': (of) =>
    `${of.baseline}: 프리픽스마다 워커 ${of.workers}개 중 ${of.spread}개에 있었는데도 축출이 없음`,
  'few-workers-met': (of) =>
    `${of.baseline}: 라운드 로빈인데도 프리픽스가 워커 ${of.workers}개 중 ${of.spread}개만 만남(우연이라면 ${of.byChance}개)`,
  'lost-to-eviction': (of) =>
    `${of.candidate}: 적중할 수 있었던 토큰 중 축출로 ${of.eviction}, 배치로 ${of.placement}를 잃음`,
  'busiest-worker': (of) => `워커 ${of.worker} 하나가 요청의 ${of.share}를 처리함(고르게 나누면 ${of.even})`,
  'slower-on-fewer': (of) =>
    `TPOT p50 ${of.change} ${unitText(of.unit)}; 가장 바쁜 워커가 요청의 ${of.share}를 처리함(고르게 나누면 ${of.even}), 워커별 부하의 변동 계수 ${of.cv}(${of.baseline} ${of.cvBefore})`,
  'hit-rates': (of) => `적중한 요청: ${of.baseline} ${of.before}, ${of.candidate} ${of.after}`,
  'hits-wait': (of) =>
    `적중의 첫 토큰까지 중앙값 ${of.usual} ms, 가장 빠를 때 ${of.best} ms${of.wait === null ? '' : `; 서버가 보고한 대기는 중앙값 ${of.wait} ms`}`,
  'hit-like-miss': (of) => `TTFT p50이 적중 ${of.hits} ms, 미적중 ${of.misses} ms`,
  'change-by-client': (of) =>
    `${of.measure} ${of.change} ${unitText(of.unit)}, 그중 최대 ${of.margin}만큼은 클라이언트의 지연일 수 있음`,
  'change-in-noise': (of) =>
    `${of.measure} ${of.change} ${unitText(of.unit)}, 95 % 구간 ${of.low}에서 ${of.high}까지`,
};

const STATUSES: Readonly<Record<RunFile['status'], string>> = {
  running: '진행 중',
  complete: '완료',
  interrupted: '중단',
  failed: '실패',
};

function unitText(unit: ChangeUnit): string {
  return unit === 'pp' ? '%p' : unit;
}

const LATE = { ttft_mean_ms: 'TTFT mean', ttft_p50_ms: 'TTFT p50', ttft_p99_ms: 'TTFT p99' } as const;
