import type { ChangeUnit } from '../../core/compare/comparison.js';
import type { LossCause } from '../../core/measure/lost-hits.js';
import { loadSize } from '../../core/workload/load.js';
import { formatCount, formatMs, formatPercent, formatSigned } from '../format.js';
import type { Messages } from './en.js';
import { KO_FINDINGS, KO_REASONS } from './ko-advice.js';
import { KO_EVIDENCE } from './ko-evidence.js';
import type { LossWords, VerdictWords } from './word-values.js';

const KO_LOADS = {
  closed: (slots: number) => `동시 ${slots}건`,
  open: (rate: number) => `초당 ${rate}건`,
};

/** Every text of a report in Korean. Codes, ids and measures such as TTFT p99 stay as in the files. */
export const KO: Messages = {
  notMeasured: '측정 안 함',
  notReported: '보고되지 않음',
  withheld: (code) => `보류: ${code}`,
  prefixes: (count) => `프리픽스 ${count}개`,
  load: (load) =>
    `${load.group === undefined ? '' : `${load.group}, `}${KO_LOADS[load.kind](Number(loadSize(load).toFixed(3)))}`,
  axis: {
    prefixes: '프리픽스 그룹 수',
    prefix: '프리픽스 그룹',
    worker: '워커',
    hitRate: '요청, %',
    cachedRatio: '프롬프트 토큰, %',
    ttft: 'TTFT, ms',
    share: '요청, %',
    concurrency: '동시 요청 수',
    rate: '제시 부하, 건/s',
    throughput: '완료, 건/s',
    order: '시행 내 요청 순서, %',
    lost: '기대 캐시 토큰, %',
  },
  ceiling: '상한',
  capacity: '용량 상한',
  cached: '캐시됨',
  offered: '제시',
  parts: {
    cached: '캐시됨',
    firstTouch: '첫 접촉',
    eviction: '축출',
    inFlight: '처리 중',
    placement: '배치',
    notFirstTouch: '손실(원인 미상)',
  },
  figures: {
    cachedTokens: {
      title: '프리픽스 그룹 수에 따른 캐시된 프롬프트 토큰',
      caption:
        '채택된 시행의 중앙값이며, 음영은 최솟값과 최댓값 사이입니다. 상한은 완전하고 무한한 캐시가 같은 요청에 줄 수 있는 값입니다.',
    },
    hitRate: {
      title: '프리픽스 그룹 수에 따른 요청 적중률',
      caption:
        '프리픽스 토큰이 하나라도 캐시된 요청의 비율입니다. 채택된 시행의 중앙값이며, 음영은 최솟값과 최댓값 사이입니다. 상한: 각 프리픽스의 첫 요청만 빗나갑니다.',
    },
    ttft: {
      title: 'TTFT 분포',
      caption:
        '어떤 시간 안에 첫 토큰을 받은 요청의 비율입니다. 채택된 모든 시행의 요청을 합쳐 1 % 간격 백분위수로 그렸습니다. 왼쪽일수록 빠릅니다.',
    },
    timeline: {
      title: '시행이 진행되는 동안의 TTFT',
      caption:
        '선 하나가 채택된 시행 하나입니다. 연속한 10분의 1 구간마다의 평균 TTFT입니다. 처음이 높으면 빈 캐시이고, 선이 서로 벌어지면 시행 사이의 표류입니다.',
    },
    lostHits: {
      title: '기대한 캐시 토큰이 간 곳',
      caption:
        '기대값은 모든 요청이 프리픽스의 블록 전체에 적중하는 경우입니다. 첫 접촉은 피할 수 없고, 축출은 용량, 처리 중은 동시성, 배치는 라우터의 몫입니다.',
    },
    throughput: {
      title: '완료 부하',
      caption: '초당 성공한 요청입니다. 채택된 시행의 중앙값이며, 음영은 최솟값과 최댓값 사이입니다.',
    },
    workers: {
      title: '어느 워커가 어느 프리픽스 그룹을 처리했는가',
      caption: (where) =>
        `${where}에서 채택된 첫 시행의 요청 수입니다. 변형들의 캐시 토큰이 가장 다른 셀입니다. 한 열에 칸이 하나면 그 프리픽스는 한 워커에 머물렀습니다. 워커 번호는 변형마다 id 순서로 새로 붙였습니다.`,
    },
  },
  measures: {
    request_hit_rate: '요청 적중률',
    cached_token_ratio: '캐시 토큰 비율',
    cached_token_ceiling: '캐시 토큰 상한',
    workers_seen: '관측된 워커',
    workers_per_prefix: '프리픽스당 워커',
    ttft_mean_ms: 'TTFT 평균',
    ttft_p50_ms: 'TTFT p50',
    ttft_p90_ms: 'TTFT p90',
    ttft_p99_ms: 'TTFT p99',
    tpot_p50_ms: 'TPOT p50',
    e2e_p50_ms: 'E2E p50',
    e2e_p99_ms: 'E2E p99',
    throughput_rps: '처리량',
    output_tokens_per_s: '출력 토큰',
    offered_rps: '제시 부하',
    duration_s: '소요 시간',
  },
  unit: (unit) => ({ 'req/s': '건/s', 'tokens/s': '토큰/s', workers: '개' })[unit] ?? unit,
  changeUnit,
  sections: {
    title: (variants) => `KV 캐시 라우팅: ${variants.join(', ')}`,
    answer: '결론',
    findings: '먼저 알아야 할 것',
    results: '결과',
    changes: '변화와 판정',
    why: '왜 더 나아지지 않았는가',
    figures: '그림',
    method: '방법',
    provenance: '출처',
    record: '실험 기록',
  },
  tables: {
    load: '부하',
    prefixes: '프리픽스',
    variant: '변형',
    expected: '기대 토큰',
    noneKept: '채택된 시행 없음',
    losses: '원인별 캐시 토큰 손실',
    noLosses: '알 수 없음: 캐시 토큰을 보고한 대상이 없습니다.',
    workers: '워커별 부하',
    noWorkers: '알 수 없음: 어느 워커가 요청을 처리했는지 보고한 대상이 없습니다.',
    capacity: '요청 적중률과 용량 상한, %',
    ofCeiling: (actual, ceiling) => `${actual} / 상한 ${ceiling}`,
    bandNote: '채택된 시행의 중앙값(최솟값–최댓값).',
    medianNote: '채택된 시행의 중앙값.',
    capacityNote:
      '상한은 min(1, 관측된 워커 × 워커 하나가 담는 프리픽스 / 프리픽스)입니다. 어떤 프리픽스도 두 번 담기지 않을 때 캐시가 담을 수 있는 몫입니다.',
    lossNote:
      '기대 캐시 토큰(모든 요청이 프리픽스의 블록 전체에 적중)에 대한 비율이며, 채택된 시행을 합쳤습니다. 각 행의 합은 100 %입니다.',
    workersNote: '워커당 요청 수의 변동 계수(우연만으로 생기는 값), 가장 바쁜 워커의 몫.',
    marks: {
      '*': '이 백분위수를 말하기에는 시행의 요청이 너무 적음: 최댓값과 거의 같음',
      '†': '채택되지 않은 시행이 있음: 먼저 알아야 할 것을 볼 것',
      '‡': '캐시 토큰을 보고한 요청만의 값이며, 모든 요청이 보고하지는 않음',
    },
  },
  changes: {
    heading: (candidate, baseline) => `${baseline} 대비 ${candidate}`,
    note: '▲ 나음, ▼ 나쁨, ≈ 잡음과 구별되지 않음. 괄호 안은 변화의 95 % 구간입니다. 비율은 퍼센트포인트로, 시간과 처리량은 퍼센트로 나타냅니다.',
    noValue: '변화를 낼 수 없음',
    noVerdict: {
      'no-value': '둘 중 하나에 값이 없음',
      'zero-value': '둘 중 하나가 0이라 퍼센트를 낼 수 없음',
      'no-requests': '판정 없음: grid.csv만으로는 요청을 알 수 없음',
      'not-paired': '판정 없음: 두 실행이 같은 요청을 같은 순서로 보내지 않음',
      'no-common-repeat': '판정 없음: 둘 다 채택한 반복이 없음',
      'one-repeat': '판정 없음: 반복이 하나뿐이라 반복 사이의 차이를 알 수 없음',
      'percentile-unsupported': '판정 없음: 이 백분위수를 말하기에는 요청이 너무 적음',
      'client-limited': '판정 없음: 클라이언트가 이 시간만큼 늦었을 수 있음',
      withheld: '판정 없음: 옳을 수 없는 수치로 발견됨',
    },
  },
  findings: {
    none: '이 수치를 해칠 만한 것은 발견되지 않았습니다.',
    seen: ([where, ...others], count, first) => {
      const rest = count - 1 - others.length;
      const also = `${others.join(', ')}${rest > 0 ? ` 외 ${rest}곳` : ''}`;
      return `${where}: ${first}${also === '' ? '' : ` (${also}도)`}`;
    },
    codes: KO_FINDINGS,
  },
  reasons: KO_REASONS,
  evidence: KO_EVIDENCE,
  method: {
    workload: (of) =>
      `요청마다 그룹이 공유하는 프리픽스 ${of.prefixTokens}토큰과 자기만의 꼬리 ${of.tailTokens}토큰을 보내고, 출력 ${of.outputTokens}토큰을 요청합니다. 셀 ${of.cells}개, 셀마다 시행 ${of.repeats}회, 시행마다 요청 ${of.requests}건입니다.`,
    order: (seed, start, warmup) =>
      `프롬프트와 순서는 시드 ${seed}, 셀, 반복에서만 나옵니다. 모든 변형이 같은 프롬프트를 같은 순서로 받았습니다. 시행의 시작 방식은 ${start}${warmup > 0 ? `, 예열 요청 ${warmup}건 뒤` : ''}이며, 반복마다 격자 전체를 추첨한 순서로 돕니다.`,
    times:
      'TTFT는 요청을 열린 소켓에 넘긴 때부터 첫 토큰을 담은 읽기까지입니다. 연결 시간과 클라이언트 안의 대기는 들어 있지 않습니다. 백분위수는 시행의 성공한 요청에 대한 최근접 순위값이며, 실패는 어떤 시간에도 들어가지 않습니다.',
    cells:
      '셀의 값은 채택된 시행의 중앙값입니다(둘이면 평균). 오염되거나 중단되거나 모두 실패한 시행은 버립니다.',
    cached:
      '캐시 토큰은 서버가 요청마다 보고한 값입니다. 상한은 완전하고 무한한 캐시를 가정합니다. 각 프리픽스의 첫 요청만 빗나가고, 온전한 캐시 블록만 셉니다.',
    verdicts: (method) =>
      `변화는 같은 요청을 보낸 두 실행의 반복을 짝지어 냅니다. 각 변화의 ${formatPercent(method.confidence, 0)} 구간은 반복 사이의 차이에서 나옵니다(조정된 t. 셀들은 퍼짐에 대한 정보를 나누며, 요청에 대한 짝지은 부트스트랩 ${method.draws}회로 무게를 답니다). 판정은 비교의 수도 감안합니다. 한 후보에 대해 내린 판정 중 틀린 것은 많아야 ${formatPercent(method.falseDiscoveryRate, 0)}로 기대됩니다(Benjamini–Hochberg).`,
    files: '이 보고서 옆의 trials.csv와 grid.csv는 run.json과 requests.jsonl에서 다시 만들었습니다.',
  },
  provenance: {
    source: '실행',
    target: '대상',
    model: '모델',
    dialect: 'dialect',
    cachedTokens: '캐시 토큰',
    workload: '워크로드 SHA-256',
    salt: '솔트 SHA-256',
    noSalt: '없음',
    time: '시각',
    status: '상태',
    kvbench: 'kvbench',
    machine: '클라이언트 기계',
    clock: '시계',
    git: 'git',
    command: '명령',
    unknown: '알 수 없음',
  },
  record: {
    intro: (empty, all) =>
      `라우팅 실험의 결과를 믿기 전에 알아야 할 것입니다. ${all}개 항목 중 ${empty}개가 비어 있습니다. 시나리오의 record: 블록으로 채웁니다.`,
    field: '항목',
    empty: '— 비어 있음',
    sections: { workload: '요청', system: '시스템', path: '선택과 경로', change: '변경과 대조' },
    fields: {
      'request-group': '요청 그룹',
      'input-length': '입력 길이, 토큰',
      'output-length': '출력 길이, 토큰',
      'offered-load': '제시 부하',
      'completed-load': '완료 부하',
      model: '모델',
      'router-mode': '라우터 모드',
      image: '이미지',
      'router-commit': '라우터 커밋',
      'deployment-mode': '배포 방식',
      'prefill-workers': '프리필 워커',
      'decode-workers': '디코드 워커',
      gpu: 'GPU',
      nic: 'NIC',
      'valid-at': '위 정보가 유효했던 시각',
      transport: '실제로 쓰인 전송 방식',
      'candidates-unreachable': '도달할 수 없는 후보',
      'candidates-without-information': '정보가 빠진 후보',
      'candidates-before-filter': '필터 전 후보',
      'candidates-after-filter': '필터 후 후보',
      choice: '선택',
      'load-per-candidate': '후보별 부하',
      'locality-per-candidate': '후보별 지역성',
      segments: '첫 토큰까지의 구간',
      'changed-condition': '바꾼 조건 하나',
      'control-run': '대조 실행',
      revert: '되돌리는 방법',
    },
    segments: {
      send_lag_ms: '클라이언트 대기',
      connect_ms: '연결',
      prefill_wait_ms: '프리필 대기열',
      prefill_ms: '프리필',
      kv_transfer_ms: 'KV 전송',
      ttft_ms: '클라이언트에서 본 TTFT',
    },
    seen: {
      groups: (prefixes) => `프리픽스 그룹 ${prefixes.join(', ')}개`,
      inputs: (prefix, tail, reported) =>
        `공유 ${prefix} + 자기 ${tail}${reported === null ? '' : `; 보고된 값 ${reported}`}`,
      outputs: (asked, reported) => `요청 ${asked}${reported === null ? '' : `; 보고된 값 ${reported}`}`,
      offered: (concurrency, rates) =>
        [
          ...(concurrency.length > 0 ? [`동시 ${concurrency.join(', ')}건(닫힌 부하)`] : []),
          ...(rates.length > 0 ? [`초당 ${rates.join(', ')}건(열린 부하)`] : []),
        ].join('; '),
      completed: (low, high) => `셀에 따라 초당 ${low}–${high}건`,
      deployment: (split, answers) =>
        `관측: 응답 ${formatCount(answers)}건 중 ${formatCount(split)}건에서 프리필 워커와 디코드 워커가 다름`,
      count: (workers) => `관측: ${workers}개`,
      ran: (from, until) => `${from}부터 ${until}까지 실행`,
      chosen: (ids, lifetimes) =>
        lifetimes === 1
          ? `관측: 워커 ${ids}개가 요청을 처리함`
          : `관측: 워커 ID ${ids}개가 ${lifetimes}벌로 차례로 요청을 처리함(대상이 다시 시작됨)`,
      locality: (list) => `모든 셀의 캐시 토큰 비율 ${list}`,
      medians: (list) => `모든 셀의 중앙값: ${list}`,
      isControl: '이 실행',
      changed: (fields) => (fields.length === 0 ? '관측: 없음' : `관측: ${fields.join(', ')}`),
    },
  },
  answer: {
    forbidden: '이 실행들은 지금 이대로 비교하면 안 됩니다. 이유는 아래에 있습니다.',
    cacheUnknown: '캐시에서 온 프롬프트 토큰이 늘었는지는 알 수 없습니다. 양쪽 모두 보고한 경우가 없습니다.',
    cache: (baseline, verdicts) =>
      `${baseline} 대비 캐시에서 온 프롬프트 토큰: ${verdicts.map((verdict) => `${verdict.label} ${verdictText(verdict, '증가', '감소')}`).join('; ')}.`,
    time: (candidates) =>
      `${candidates
        .map(
          (verdicts) =>
            `${verdicts[0]?.label}: ${verdicts.map((verdict) => `${verdict.measure} ${verdictText(verdict, '개선', '악화')}`).join(', ')}`,
        )
        .join('; ')}. 나머지 셀은 잡음과 구별되지 않습니다.`,
    lost: (sides) =>
      sides.length === 0
        ? '손실을 나눌 수 없습니다. 캐시 토큰을 보고한 대상이 없습니다.'
        : `모든 요청이 적중했다면 받았을 캐시 토큰 중 잃은 몫: ${sides.map(lossText).join('; ')}.`,
    single: (label, ok, requests, cells) =>
      `${label}: 셀 ${cells}개에서 요청 ${formatCount(requests)}건 중 ${formatCount(ok)}건에 응답했습니다. 비교한 것은 없습니다.`,
    singleRange: (ratio, ceiling, ttft) =>
      `${ratio === null ? '캐시 토큰은 보고되지 않았습니다' : `프롬프트 토큰 중 캐시에서 온 몫은 셀에 따라 ${rangeText(ratio, formatPercent)}입니다`}${ratio === null || ceiling === null ? '' : `(상한 ${rangeText(ceiling, formatPercent)})`}. TTFT p50은 ${ttft === null ? '측정되지 않았습니다' : `${rangeText(ttft, formatMs)} ms입니다`}.`,
  },
};

/** `12개 셀 중 증가 11개, 감소 1개 (중앙값 +27.4 %p)`. */
function verdictText(verdict: VerdictWords, better: string, worse: string): string {
  const cells = verdict.better + verdict.worse + verdict.same + verdict.open;
  const open = verdict.open > 0 ? `, 판정 없음 ${verdict.open}개` : '';
  const change =
    verdict.change === null ? '' : ` (중앙값 ${formatSigned(verdict.change)} ${changeUnit(verdict.unit)})`;
  return `${cells}개 셀 중 ${better} ${verdict.better}개, ${worse} ${verdict.worse}개${open}${change}`;
}

function changeUnit(unit: ChangeUnit): string {
  return unit === 'pp' ? '%p' : '%';
}

const CAUSES: Readonly<Record<LossCause, string>> = {
  firstTouch: '첫 접촉(피할 수 없음)',
  eviction: '축출(용량)',
  inFlight: '처리 중(동시성)',
  placement: '배치(라우터)',
  notFirstTouch: '워커 id 없이는 나눌 수 없는 원인',
};

function lossText(side: LossWords): string {
  if (side.cause === null) return `${side.label} 없음`;
  return `${side.label} ${formatPercent(side.lost)}, 가장 큰 원인은 ${CAUSES[side.cause]} ${formatPercent(side.causeShare)}`;
}

function rangeText(range: readonly [number, number], format: (value: number) => string): string {
  const [low, high] = range.map((value) => format(value));
  return low === high ? `${low}` : `${low}–${high}`;
}
