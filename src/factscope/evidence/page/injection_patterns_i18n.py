"""Signs of orders to a model in languages other than English: family, words of which one must be there, pattern."""

from __future__ import annotations

TONGUES: tuple[tuple[str, str, str], ...] = (
    (
        "override", "anweisung|instruktion|vorgabe|befehl|regel|prompt",
        r"\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*|verwirf)\b.{0,30}\b(?:alle|vorherig\w*|bisherig\w*"
        r"|obig\w*"
        r"|vorangegangen\w*|früher\w*|vorig\w*)\b.{0,30}\b(?:anweisung|instruktion|vorgabe|befehl|regel|prompt)",
    ),
    (
        "override", "instructions|consigne|directive|règle|ordre",
        r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) (?:pas|plus) compte|fai(?:s|tes) abstraction)\b.{0,30}"
        r"\b(?:instructions|consignes|directives|règles|ordres)\b.{0,15}(?:précédent|ci-dessus|antérieur|reçu|initial)",
    ),
    (
        "override", "instruccion|indicacion|órden|regla",
        r"\b(?:ignor[ae]|olvid[ae]|ha(?:z|ga) caso omiso|descart[ae]|desestim[ae])\b.{0,30}\b(?:instrucciones"
        r"|indicaciones|órdenes|reglas)\b.{0,12}(?:anterior|previa|de arriba|recibid|original)",
    ),
    (
        "override", "instruções|orden|regra|comando",
        r"\b(?:ignor[ae]|esque[çc][ae]|esquece|desconsider[ae])\b.{0,30}\b(?:instruções|ordens|regras"
        r"|comandos)\b.{0,12}"
        r"(?:anterior|acima|prévi|recebid)",
    ),
    (
        "override", "istruzion|indicazion|regole|direttive",
        r"\b(?:ignor[ai]|ignorate|dimentica(?:te)?|trascura(?:te)?)\b.{0,30}\b(?:istruzioni|indicazioni|regole"
        r"|direttive)"
        r"\b.{0,12}(?:precedent|sopra|ricevut)",
    ),
    (
        "override", "instructie|aanwijzing|opdracht|regel",
        r"\b(?:negeer|vergeet)\b.{0,25}\b(?:vorige|eerdere|bovenstaande|voorgaande|alle)\b.{0,15}\b(?:instructie"
        r"|aanwijzing|opdracht|regel)",
    ),
    ("override", "instrukc|polece|wytyczn|zasad",
     r"\b(?:zignoruj|ignoruj|zapomnij|pomiń)\b.{0,30}\b(?:instrukcj|poleceni|wytyczn|zasad)"),
    ("override", "instruktion|anvisning", r"\b(?:ignorera|glöm|bortse från)\b.{0,25}\b(?:instruktion|anvisning)"),
    ("override", "инструкц|указани|команд|правил",
     r"(?:игнорируй|проигнорируй|забудь|не обращай\w* внимания)\w*.{0,30}(?:инструкци|указани|команд|правил)"),
    ("override", "інструкц|вказівк|команд", r"(?:ігноруй|проігноруй|забудь)\w*.{0,30}(?:інструкц|вказівк|команд)"),
    (
        "override", "talimat|komut|yönerge",
        r"(?:önceki|yukarıdaki|tüm|bütün)\b.{0,25}(?:talimat|komut|yönerge)\w*.{0,15}(?:yok say|görmezden|unut"
        r"|dikkate alma)",
    ),
    ("override", "指|提示|说明|规则|規則|命令|要求",
     r"(?<!不要)(?<!不可)(?<!请勿)(?<!切勿)(?<!不得)(?<!不能)(?:忽略|无视|忘记|忘掉|不要理会|無視|忽視"
     r"|忘記).{0,12}(?:指令|指示|提示|说明|規則|规则|命令|要求)"),
    ("override", "無視|忘れ",
     r"(?:以前|これまで|上記|前|すべて|全て|先ほど).{0,10}(?:指示|命令|プロンプト|ルール|指令).{0,6}(?:無視|忘れ)"),
    ("override", "무시|잊", r"(?:이전|위의|모든|앞의).{0,12}(?:지시|명령|지침|프롬프트|규칙).{0,8}(?:무시|잊)"),
    ("override", "التعليمات|الأوامر|التوجيهات|القواعد", r"(?:تجاهل|انس).{0,25}(?:التعليمات|الأوامر|التوجيهات|القواعد)"),
    ("override", "निर्देश|आदेश|नियम", r"(?:निर्देश|आदेश|नियम)\S*.{0,15}(?:अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जा|उपेक्षा)"),
    ("override", "הוראות|הנחיות", r"(?:התעלם|התעלמו|שכח).{0,20}(?:ההוראות|הוראות|ההנחיות)"),
    ("override", "hướng dẫn|chỉ dẫn|lệnh", r"\b(?:bỏ qua|hãy quên)\b.{0,25}(?:hướng dẫn|chỉ dẫn|mệnh lệnh|lệnh)"),
    ("override", "instruksi|perintah", r"\b(?:abaikan|lupakan)\b.{0,25}(?:instruksi|perintah)"),
    ("address", "falls du|wenn du|ki|ai|sprachmodell|llm",
     r"\b(?:falls|wenn) du (?:eine? )?(?:ki|künstliche intelligenz|sprachmodell|assistent|chatbot)\b"
     r"|\b(?:an (?:alle|die)|hinweis (?:an|für)(?: alle| die)?) (?:ki|ai|sprachmodelle?|llms?)\b(?:-\w+)? ?[:,]"),
    ("address", "si tu es|si vous|pour|à ",
     r"\bsi (?:tu es|vous êtes) (?:une? )?(?:ia|intelligence artificielle|modèle de langage|assistant|llm)\b"
     r"|\b(?:note|message|instructions?) (?:pour|à) (?:les |l')?(?:ia|modèles de langage|llm)\b"),
    ("address", "si eres", r"\bsi eres (?:una? )?(?:ia|inteligencia artificial|modelo de lenguaje|asistente)\b"),
    ("address", "você é|és", r"\bse (?:você é|és|tu és) (?:uma? )?(?:ia|inteligência artificial|modelo de "
    "linguagem|assistente)\b"),
    ("address", "se sei", r"\bse sei (?:un'? ?|una )?(?:ia|intelligenza artificiale|modello linguistico|assistente)\b"),
    ("address", "если ты", r"если ты (?:ии|языковая модель|нейросеть|ассистент|искусственный)"),
    ("address", "人工智能|ai|模型|助手|机器人",
     r"(?:如果你是|若你是|作为|身为).{0,6}(?:人工智能|ai|语言模型|大模型|助手|聊天机器人).{0,20}(?:必须|应当"
     r"|应该|请|需要|忽略|只能)"),
    ("address", "なら|であれば|場合",
     r"(?:あなたが|もし).{0,6}(?:ai|言語モデル|アシスタント|人工知能).{0,4}(?:なら|であれば|である場合|の場合)"),
    ("verdict", "behauptung|aussage",
     r"\b(?:markiere|bewerte|stufe|kennzeichne|klassifiziere)\b.{0,30}\b(?:behauptung|aussage)\w*.{0,20}\bals\b.{0,8}"
     r"(?:wahr|belegt|unterstützt|korrekt|richtig|supported)"),
    ("verdict", "affirmation|déclaration",
     r"\b(?:marque|classe|juge|considère|évalue)(?:z|s|r)?\b.{0,25}\b(?:affirmation"
     r"|déclaration)s?\b.{0,12}\bcomme\b.{0,8}"
     r"(?:vrai|étayé|exact|correct|confirmé|supported)"),
    ("verdict", "afirmaci|declaraci",
     r"\b(?:marca|clasifica|califica|considera|juzga)\b.{0,25}\b(?:afirmaci[óo]n"
     r"|declaraci[óo]n)\w*.{0,12}\bcomo\b.{0,8}"
     r"(?:verdader|ciert|respaldad|correct|supported)"),
    ("verdict", "утверждени|заявлени",
     r"(?:отметь|пометь|считай|оцени|признай)\w*.{0,30}(?:утверждени|заявлени)\w+.{0,20}(?:верн|истин|подтвержд"
     r"|правд)"),
    ("verdict", "声明|陈述|说法|主张|断言|论断",
     r"(?:将|把|请|必须).{0,10}(?:声明|陈述|说法|主张|断言|论断).{0,6}(?:标记|判定|标注|视|评"
     r"|判断)为?.{0,4}(?:真|支持|正确|属实)"),
    ("verdict", "主張|記述|クレーム|陳述",
     r"(?:主張|記述|クレーム|陳述).{0,4}(?:を|は).{0,12}(?:支持|正しい|真|事実|supported).{0,4}(?:と|として|に).{0,8}"
     r"(?:判定|評価|回答|ラベル|分類|みなし)"),
    ("task", "tarea|aufgabe|tâche|mission|задача|任务|タスク|任務",
     r"\b(?:tu|su) (?:nueva|verdadera) tarea es|\b(?:deine|ihre) (?:neue|wahre|eigentliche) aufgabe (?:ist|lautet)"
     r"|\b(?:ta|votre) (?:nouvelle|vraie|véritable) (?:tâche|mission) est|твоя (?:новая|настоящая) задача"
     r"|(?:你的|您的)(?:新|真正的?)任务是|(?:新しい|本当の)(?:タスク|任務)は"),
    ("output", "antwort|répond|respond|rispond|ответь|отвечай|回答|答え",
     r"\b(?:antworte(?:n sie)?|répond(?:s|ez)|responde|responda|rispondi|rispondete)\b.{0,25}(?:nur"
     r"|ausschließlich|uniquement"
     r"|seulement|únicamente|solo|sólo|apenas|soltanto|solamente)\b.{0,12}[\"'][^\"'\n]{1,30}[\"']"
     r"|(?:ответь|отвечай)\w* только.{0,10}[\"'][^\"'\n]{1,30}[\"']|(?:只|仅)(?:能|需|可)?回答.{0,3}[\"'「]"),
)  # fmt: skip
