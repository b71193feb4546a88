import type { ChangeUnit } from '../../core/compare/comparison.js';
import type { LossCause } from '../../core/measure/lost-hits.js';
import { loadSize } from '../../core/workload/load.js';
import { formatCount, formatMs, formatPercent, formatSigned } from '../format.js';
import type { Messages } from './en.js';
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
    ttft_p50_ms: 'TTFT p50',
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
    },
  },
  findings: {
    none: '이 수치를 해칠 만한 것은 발견되지 않았습니다.',
    seen: ([where, ...others], count, first) => {
      const rest = count - 1 - others.length;
      const also = `${others.join(', ')}${rest > 0 ? ` 외 ${rest}곳` : ''}`;
      return `${where}: ${first}${also === '' ? '' : ` (${also}도)`}`;
    },
    codes: {
      contaminated: {
        title: '오염된 시행',
        advice:
          '이 시드에 대해 캐시가 이미 데워져 있었습니다. --salt random으로 다시 실행하거나(길이는 같고 글은 새것) 캐시를 비우십시오.',
      },
      interrupted: {
        title: '중단된 시행',
        advice: '시행이 끝나기 전에 멈췄습니다. 같은 명령을 --resume과 함께 다시 실행하십시오.',
      },
      'no-ok-request': {
        title: '성공한 요청 없음',
        advice: '모든 요청이 실패했습니다. requests.jsonl의 error.message와 대상의 로그를 읽으십시오.',
      },
      'missing-trials': {
        title: '빠진 시행',
        advice: '이 셀은 채택된 시행이 반복 수보다 적습니다. 다시 실행한 뒤에만 비교하십시오.',
      },
      'mixed-cached-tokens': {
        title: '섞인 cached_tokens',
        advice:
          '일부 응답만 cached_tokens를 담고 그중 0이 없습니다. 대상이 0을 생략한다면 적중률이 틀립니다. --dialect auto로 다시 실행해 확인하게 하십시오.',
      },
      'missing-records': {
        title: '기록 누락',
        advice:
          'requests.jsonl에서 이 시행의 줄이 사라졌습니다. 원본에서 다시 읽거나 시행을 다시 실행하십시오.',
      },
      'concurrency-not-reached': {
        title: '도달하지 못한 동시성',
        advice:
          '시행의 요청 수가 동시 요청 수보다 적습니다. --requests를 동시성의 열 배 이상으로 올리십시오.',
      },
      'not-streamed': {
        title: '스트리밍되지 않음',
        advice:
          '답 전체가 한 번에 도착해 TTFT가 E2E와 같습니다. 대상의 스트리밍이 꺼져 있거나 프록시가 모으고 있는지 확인하십시오.',
      },
      'failed-requests': {
        title: '실패한 요청',
        advice: '수치는 성공한 요청만의 것입니다. 느린 요청을 잃는 방식은 빨라 보입니다.',
      },
      'prompt-tokens-spread': {
        title: 'prompt_tokens의 편차',
        advice:
          'prompt_tokens는 계획과 상수 하나(채팅 템플릿)만 달라야 합니다. 이 토크나이저는 일부 단어를 쪼개므로 길이가 정확하지 않습니다.',
      },
      'output-tokens-differ': {
        title: '출력 길이가 다름',
        advice:
          '응답이 --output-tokens 전에 끝났습니다. E2E와 처리량은 어디서 끝났는지에 달렸습니다. ignore_eos를 설정할 수 있는 dialect를 쓰십시오.',
      },
      'cached-tokens-not-reported': {
        title: 'cached_tokens가 보고되지 않음',
        advice:
          '적중률을 낼 수 없습니다. 서버가 보고하게 하십시오(vLLM: --enable-prompt-tokens-details, sglang: --enable-cache-report).',
      },
      'cached-tokens-partly-reported': {
        title: 'cached_tokens가 일부만 보고됨',
        advice: '적중률과 비율은 cached_tokens를 보고한 요청만의 것입니다.',
      },
      'held-first-token': {
        title: '붙들린 첫 토큰',
        advice:
          '대상이 Nagle 알고리즘을 켠 채(TCP_NODELAY 없이) 보내는 것으로 보입니다. 적중처럼 응답 헤더 뒤 40 ms 안에 준비된 첫 토큰은 지연된 ACK를 기다리고 미적중은 기다리지 않으므로, TTFT에는 실제 이득보다 작게 나타납니다. 대상에서 TCP_NODELAY를 켜거나, 리눅스 클라이언트에서 그 경로의 지연 ACK를 끄십시오(docs/client.md).',
      },
      'client-limited': {
        title: '클라이언트가 한계',
        advice:
          '이 시간의 일부는 서버가 아니라 클라이언트의 것일 수 있습니다. --concurrency를 낮추거나, 빈 코어가 있으면 --threads를 늘리거나, 이 기계의 다른 작업을 멈추십시오. kvbench doctor --client가 이 기계의 한계를 알려 줍니다.',
      },
      'workload-differs': {
        title: '워크로드가 다름',
        advice: '한쪽을 같은 시드, 길이, 요청 수로 다시 실행하십시오. --salt만 달라도 됩니다.',
      },
      'model-differs': { title: '모델이 다름', advice: '한쪽을 같은 --model로 다시 실행하십시오.' },
      'output-lengths-differ': {
        title: '출력 길이가 서로 다름',
        advice: 'E2E와 처리량이 이에 달렸습니다. 양쪽 모두 길이를 고정하는 dialect(ignore_eos)를 쓰십시오.',
      },
      'client-settings-differ': {
        title: '클라이언트 설정이 다름',
        advice: '한쪽을 다른 쪽의 설정으로 다시 실행하십시오.',
      },
      'clock-differs': { title: '시계가 다름', advice: '시뮬레이션 시간과 실제 시간은 비교할 수 없습니다.' },
      'success-sets-differ': {
        title: '성공한 요청의 집합이 다름',
        advice: '느린 요청을 잃는 방식은 빨라 보입니다. 왜 실패했는지 찾은 뒤 다시 실행하십시오.',
      },
      'no-common-cell': {
        title: '공통 셀 없음',
        advice: '둘 다 같은 프리픽스 수와 부하로 실행하십시오.',
      },
      'percentile-unsupported': {
        title: '백분위수를 말하기에 요청이 부족함',
        advice: '요청 100건 미만의 p99는 최댓값과 거의 같습니다. --requests를 늘리십시오.',
      },
      'run-incomplete': {
        title: '끝나지 않은 실행',
        advice: '--resume으로 실행을 마치거나, 있는 것만 알고서 비교하십시오.',
      },
      'few-failures-differ': {
        title: '소수의 실패가 다름',
        advice: '지연은 성공한 요청만의 것입니다. 잃은 요청 하나에 p99가 달릴 수 있습니다.',
      },
      'conditions-changed': {
        title: '여러 조건이 바뀜',
        advice: '차이를 그중 하나의 탓으로 돌릴 수 없습니다. 한 번에 한 조건만 바꾸십시오.',
      },
      'versions-differ': {
        title: '버전이 다름',
        advice: '차이가 거기서 올 수 있습니다. 한 기계에서 한 버전으로 다시 실행하십시오.',
      },
      'reading-differs': {
        title: '캐시 값을 읽는 방식이 다름',
        advice: '적중률의 뜻이 다를 수 있습니다. --dialect auto로 다시 실행해 둘 다 확인하게 하십시오.',
      },
      'asked-differently': {
        title: '요청 본문이 다름',
        advice: '보고만 요청하는 필드라 수치를 바꾸지 않겠지만, 요청이 같지는 않았습니다.',
      },
      'cells-differ': { title: '셀이 다름', advice: '둘 다 측정한 셀만 비교합니다.' },
      'repeats-left-out': { title: '빠진 반복', advice: '둘 다 채택한 반복만 비교합니다.' },
      'one-repeat': {
        title: '반복이 하나',
        advice: '반복 사이의 차이를 알 수 없어 판정이 없습니다. --repeats 3 이상으로 실행하십시오.',
      },
      'same-run': { title: '같은 실행', advice: '실행은 자기 자신과 다르지 않습니다.' },
      'grid-only': {
        title: 'grid.csv만 있음',
        advice: '구간, 판정, 손실의 분해를 보려면 실행 디렉터리를 주십시오.',
      },
      'read-with-loss': { title: '일부를 읽지 못함', advice: '나머지는 읽었습니다.' },
      'salt-differs': {
        title: '솔트가 다름',
        advice:
          '솔트만 다른 같은 워크로드입니다. 길이와 순서는 같고 글은 다릅니다. 데워진 캐시를 피하는 데 좋습니다.',
      },
    },
  },
  reasons: {
    'cached-tokens-not-reported': {
      title: '캐시 토큰이 보고되지 않음',
      advice:
        '서버가 보고하게 하십시오(vLLM: --enable-prompt-tokens-details, sglang: --enable-cache-report).',
    },
    'cached-tokens-from-decode': {
      title: '캐시 토큰을 디코드 워커가 보고함',
      advice:
        '캐시가 있는 프리필 워커가 아니라 분리 배포의 디코드 워커가 보고합니다. 적중률은 라우터나 프리필 워커에서 읽으십시오.',
    },
    'prefix-below-block': {
      title: '프리픽스가 블록보다 짧음',
      advice: '온전한 블록만 적중합니다. --prefix-tokens를 늘리거나 맞는 --block-size를 적으십시오.',
    },
    'everything-missed': {
      title: '모두 빗나감',
      advice:
        '프리픽스 캐시가 켜져 있습니까? 프리픽스 앞의 무언가가 요청마다 다를 수 있습니다. 날짜나 id가 든 채팅 템플릿, 프롬프트를 고치는 라우터, 토크나이저가 다른 워커를 살피십시오.',
    },
    'one-worker': {
      title: '워커가 하나',
      advice: '라우터가 고르려면 둘이 필요합니다. 다른 워커가 등록되어 있고 건강합니까?',
    },
    'workers-not-reported': {
      title: '워커가 보고되지 않음',
      advice:
        '배치와 축출을 나눌 수 없습니다. 라우터가 워커를 보고하게 하십시오(Dynamo: nvext.extra_fields worker_id).',
    },
    'at-the-ceiling': {
      title: '이미 상한에 있음',
      advice: '더 얻을 것이 없습니다. 프리픽스를 늘리거나 캐시를 줄이십시오.',
    },
    'fits-in-one-worker': {
      title: '한 워커에 모두 들어감',
      advice:
        '워커마다 모든 프리픽스를 담을 수 있어 어디로 가든 첫 요청만 빗나갑니다. 프리픽스를 더 많이, 더 길게 하십시오.',
    },
    'round-robin-in-phase': {
      title: '라운드 로빈과 워크로드의 박자가 맞음',
      advice:
        '프리픽스의 순서가 순환과 보조를 맞춰 우연히 적은 워커에 머뭅니다. 프리픽스나 워커의 수를 바꾸십시오.',
    },
    'capacity-short': {
      title: '용량 부족',
      advice: '누가 라우팅하든 캐시가 이 프리픽스들에 너무 작습니다. 프리픽스를 줄이거나 캐시를 늘리십시오.',
    },
    'hot-worker': {
      title: '몰린 워커',
      advice: '캐시가 아낀 것을 대기열이 먹습니다. 라우터에서 부하와 겹침의 가중치를 살피십시오.',
    },
    'queueing-hides-gain': {
      title: '대기가 이득을 가림',
      advice:
        '적중이 아끼는 것보다 오래 기다립니다. 부하를 낮추거나, 대상이 포화되지 않은 부하에서 비교하십시오.',
    },
    'hit-saves-little': {
      title: '적중이 아끼는 것이 적음',
      advice: '프리픽스의 프리필이 여기서 의미를 갖기에는 너무 짧습니다. 더 긴 프리픽스를 쓰십시오.',
    },
    'load-concentrated': {
      title: '부하 쏠림',
      advice:
        '프리픽스를 공유하는 요청은 워커와 그 디코드 배치도 공유합니다. 프리픽스를 늘려 흩어지게 하거나, 라우터에서 겹침보다 부하에 더 무게를 두십시오.',
    },
    'median-hits-in-both': {
      title: '중앙값은 둘 다 적중',
      advice:
        'TTFT p50은 어느 쪽이든 적중의 값입니다. 미적중이 줄어 아낀 것은 TTFT p99, E2E, 처리량에 나타납니다.',
    },
    'median-misses-in-both': {
      title: '중앙값은 둘 다 미적중',
      advice:
        'TTFT p50은 적중률이 50 %를 넘을 때 움직입니다. 적중이 늘어 아낀 것은 E2E, 처리량, TTFT 분포에 나타납니다.',
    },
    'repeats-differ': {
      title: '반복이 서로 다름',
      advice: '--repeats나 --requests를 늘리십시오. 변화가 실재할 수 있으나 드러나지 않았습니다.',
    },
  },
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
